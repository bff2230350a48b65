/* SPDX-License-Identifier: Apache-2.0 */
/* The proving daemon. */
#define _POSIX_C_SOURCE 200809L
#include "base/mem.h"
#include "cli/assayd_config.h"
#include "cli/assayd_run.h"
#include "cli/report.h"
#include "daemon/tls.h"
#include "daemon/token.h"
#include "engine/keeper.h"
#include <stdio.h>
#include <string.h>

static int print_config(const assay_args *a, const assay_config *c)
{
    assay_writer w;
    assay_writer_init(&w, 1 << 20);
    assay_config_print(&w, c);
    const bool good = !w.bad && fwrite(w.p, 1, w.n, stdout) == w.n;
    assay_writer_clear(&w);
    return assay_report_finish(a, good ? ASSAY_EXIT_OK : ASSAY_EXIT_OUTPUT);
}

/* Everything that can be found wrong before it starts. */
static int check_config(const assay_args *a, const assay_config *c)
{
    char token[ASSAY_TOKEN_BYTES];
    assay_tls *tls = NULL;
    assay_errinfo err = {0};
    assay_status s = ASSAY_OK;
    if (*c->auth.token_file) s = assay_token_read(token, c->auth.token_file, &err);
    assay_mem_wipe(token, sizeof token);
    if (s == ASSAY_OK && *c->tls.certificate) {
        const assay_tls_files files = {c->tls.certificate, c->tls.key, c->tls.client_ca};
        s = assay_tls_server_new(&tls, &files, &err);
        assay_tls_free(tls);
    }
    if (s != ASSAY_OK) return assay_report_error(a, ASSAY_READING, s, &err);
    printf("the configuration is in order\n");
    return assay_report_finish(a, ASSAY_EXIT_OK);
}

int main(int argc, char **argv)
{
    assay_args a;
    assay_config c;
    assay_errinfo err = {0};
    assay_keeper_main(argc, argv); /* does not return in the processes that the engine makes */
    const int code = assay_args_parse(&a, assay_command_find("assayd", NULL), argc, argv, 1);
    if (code >= 0) return code;
    const assay_status s = assay_assayd_configure(&c, &a, &err);
    int end;
    if (s != ASSAY_OK)
        end = assay_report_error(&a, ASSAY_READING, s, &err);
    else if (args_has(&a, OPT_PRINT_CONFIG))
        end = print_config(&a, &c);
    else if (args_has(&a, OPT_CHECK_CONFIG))
        end = check_config(&a, &c);
    else
        end = assay_assayd_run(&a, &c);
    assay_config_clear(&c);
    return end;
}
