/* SPDX-License-Identifier: Apache-2.0 */
/* assay info: what a file or folder is. Files are told apart by their first eight bytes. */
#include "base/dir.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/status.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/files.h"
#include "cli/report.h"
#include <stdio.h>
#include <string.h>

static bool has(const char *dir, const char *name)
{
    char path[ASSAY_CLI_PATH];
    return assay_path_join(path, sizeof path, dir, name, NULL) == ASSAY_OK && assay_path_exists(path);
}

static assay_status folder(assay_describer *d, const char *path, assay_errinfo *err)
{
    static const struct {
        const char *sign;
        assay_status (*describe)(assay_describer *d, const char *path, assay_errinfo *err);
    } kinds[] = {{"ID.txt", assay_describe_commitment},
                 {"config.bin", assay_describe_config_folder},
                 {"ivk.bin", assay_describe_ivk_folder},
                 {"config.json", assay_describe_model}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (has(path, kinds[i].sign)) return kinds[i].describe(d, path, err);
    return ASSAY_FAIL(err, ASSAY_EFORMAT, path, "is not a folder of Assay");
}

static assay_status file(assay_describer *d, const char *path, assay_errinfo *err)
{
    static const struct {
        const char *magic;
        assay_status (*describe)(assay_describer *d, const uint8_t *p, size_t n, assay_errinfo *err);
    } kinds[] = {{"ASSAYCFG", assay_describe_config},  {"ASSAYIVK", assay_describe_ivk},
                 {"ASSAYREQ", assay_describe_request}, {"ASSAYTOK", assay_describe_next},
                 {"ASSAYPRF", assay_describe_proof},   {"ASSAYISK", assay_describe_key},
                 {"ASSAYCTR", assay_describe_counter}, {"ASSAYWTS", assay_describe_weights},
                 {"ASSAYTRE", assay_describe_tree}};
    assay_map m;
    assay_status s = assay_map_open(&m, path, err);
    if (s != ASSAY_OK) return s;
    s = ASSAY_EFORMAT;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && s == ASSAY_EFORMAT && m.n >= 8; i++)
        if (memcmp(m.p, kinds[i].magic, 8) == 0) {
            s = kinds[i].describe(d, m.p, m.n, err);
            break;
        }
    if (s == ASSAY_EFORMAT) (void)ASSAY_FAIL(err, s, path, "is not a file of Assay");
    assay_map_close(&m);
    return s;
}

int assay_run_info(const assay_args *a)
{
    assay_errinfo err;
    assay_describer d = {args_has(a, OPT_JSON), false};
    const char *path = a->operand[0];
    memset(&err, 0, sizeof err);
    assay_status s = assay_path_is_dir(path) ? folder(&d, path, &err) : file(&d, path, &err);
    if (d.begun) assay_json_end();
    return s == ASSAY_OK ? assay_report_finish(a, ASSAY_EXIT_OK) : assay_report_error(a, ASSAY_READING, s, &err);
}
