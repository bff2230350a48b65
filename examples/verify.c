/* SPDX-License-Identifier: Apache-2.0 */
/* A client's program with libassay_verify: reads the five files that examples/prove.c wrote, into memory, and checks
 * the proof. The library itself opens no files and starts no threads. verify DIR Build: cc verify.c $(pkg-config
 * --cflags --libs assay_verify) */
#include <assay/verify.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILE = 64 << 20 };

/* The whole file, or an empty buffer. Freed with free. */
static assay_buffer read_file(const char *dir, const char *name)
{
    assay_buffer b = {NULL, 0};
    char path[1024];
    if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path) return b;
    FILE *f = fopen(path, "rb");
    if (!f) return b;
    long n = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    if (n >= 0 && n <= MAX_FILE && fseek(f, 0, SEEK_SET) == 0) b.p = (uint8_t *)malloc((size_t)n + 1);
    if (b.p) b.n = fread(b.p, 1, (size_t)n, f);
    (void)fclose(f);
    return b;
}

int main(int argc, char **argv)
{
    static const char *const names[5] = {"config.bin", "ivk.bin", "F.req", "F.y", "F.proof"};
    assay_buffer file[5];
    assay_verifier *v = NULL;
    assay_report report;
    assay_errinfo err;
    char text[512];
    memset(&report, 0, sizeof report);
    memset(&err, 0, sizeof err);
    if (argc != 2) {
        fprintf(stderr, "usage: %s DIR\n", argv[0]);
        return 2;
    }
    for (int i = 0; i < 5; i++) file[i] = read_file(argv[1], names[i]);
    assay_status s = assay_verifier_new(&v, file[0].p, file[0].n, file[1].p, file[1].n, &err);
    /* NULL takes the commitment as it is. A real client passes the 32 bytes of the ID that it got beforehand. */
    if (s == ASSAY_OK) s = assay_verifier_check_files(v, &report, &file[2], &file[3], &file[4], NULL, 128, &err);
    assay_verifier_free(v);
    for (int i = 0; i < 5; i++) free(file[i].p);
    if (s != ASSAY_OK) {
        fprintf(stderr, "could not check: %s\n", assay_errinfo_text(&err, text, sizeof text));
        return 2;
    }
    if (report.verdict == ASSAY_ACCEPT) {
        puts("YES");
        return 0;
    }
    printf("NO: %s\n", report.reason);
    return 1;
}
