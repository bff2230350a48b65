/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration at work: `--example`, `--markdown` and `--man` print what is made from the table of keys; FILE [KEY
 * VALUE]... reads a file, then keys as flags give them, and checks; prints `good`, or the message with exit code 2. */
#include "daemon/config.h"
#include <stdio.h>
#include <string.h>

static int print(void (*write)(assay_writer *))
{
    assay_writer w;
    assay_writer_init(&w, 1 << 20);
    write(&w);
    const bool good = !w.bad && fwrite(w.p, 1, w.n, stdout) == w.n && fflush(stdout) == 0;
    assay_writer_clear(&w);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    assay_config c;
    assay_errinfo err = {0};
    char text[512];
    if (argc < 2) return 2;
    if (strcmp(argv[1], "--example") == 0) return print(assay_config_example);
    if (strcmp(argv[1], "--markdown") == 0) return print(assay_config_markdown);
    if (strcmp(argv[1], "--man") == 0) return print(assay_config_man);
    assay_status s = assay_config_defaults(&c, &err);
    if (s == ASSAY_OK) s = assay_config_read(&c, argv[1], &err);
    for (int i = 2; i + 1 < argc && s == ASSAY_OK; i += 2)
        s = assay_config_set(&c, argv[i], argv[i + 1], argv[i], &err);
    if (s == ASSAY_OK) s = assay_config_check(&c, &err);
    printf("%s\n", s == ASSAY_OK ? "good" : assay_errinfo_text(&err, text, sizeof text));
    assay_config_clear(&c);
    return s == ASSAY_OK ? 0 : 2;
}
