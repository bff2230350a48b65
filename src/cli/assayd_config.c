/* SPDX-License-Identifier: Apache-2.0 */
/* Where the daemon's configuration comes from. */
#define _POSIX_C_SOURCE 200809L
#include "cli/assayd_config.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usual_file[] = "/etc/assay/assayd.toml";

/* Flags that stand for a key, with the value given or, for flags that take none, this one. */
static const struct {
    assay_opt_id id;
    const char *key, *value;
} flags[] = {
    {OPT_QUIET, "log.level", "error"}, /* first: --log-level goes before it */
    {OPT_LOG_LEVEL, "log.level", NULL},
    {OPT_LISTEN, "daemon.listen", NULL},
    {OPT_STATUS_LISTEN, "daemon.status_listen", NULL},
    {OPT_CIRCUITS, "paths.circuits", NULL},
    {OPT_MODELS, "paths.models", NULL},
    {OPT_BUDGET, "memory.total", NULL},
    {OPT_PARTITION_WORKERS, "engine.partition_workers", NULL},
    {OPT_GPU_WORKERS, "engine.gpu_workers", NULL},
    {OPT_GPU_THREADS, "engine.gpu_threads", NULL},
    {OPT_NO_PIPELINE, "engine.pipeline", "false"},
    {OPT_PRELOAD, "engine.preload", NULL},
};

static assay_status set_flag(assay_config *c, const assay_args *a, assay_opt_id id, const char *key, const char *value,
                             assay_errinfo *err)
{
    char flag[64];
    (void)snprintf(flag, sizeof flag, "--%s", assay_options[id].name);
    return assay_config_set(c, key, value ? value : a->value[id], flag, err);
}

static assay_status set_flags(assay_config *c, const assay_args *a, assay_errinfo *err)
{
    assay_status s = ASSAY_OK;
    for (size_t i = 0; i < sizeof flags / sizeof *flags && s == ASSAY_OK; i++)
        if (args_has(a, flags[i].id)) s = set_flag(c, a, flags[i].id, flags[i].key, flags[i].value, err);
    if (s != ASSAY_OK || !args_has(a, OPT_QUEUE)) return s;
    const bool url = strstr(a->value[OPT_QUEUE], "://") != NULL;
    if (!url) s = set_flag(c, a, OPT_QUEUE, "queue.url", "", err);
    return s == ASSAY_OK ? set_flag(c, a, OPT_QUEUE, url ? "queue.url" : "queue.path", NULL, err) : s;
}

/* A folder that somebody set must be there; the usual one may be missing. */
static assay_status check_folder(const char *key, const char *path, const char *usual, assay_errinfo *err)
{
    char subject[256];
    struct stat st;
    if (!*path || strcmp(path, usual) == 0) return ASSAY_OK;
    (void)snprintf(subject, sizeof subject, "%s: %.200s", key, path);
    if (stat(path, &st) != 0) return ASSAY_FAIL_OS(err, ASSAY_EIO, subject, "cannot be used", errno);
    if (!S_ISDIR(st.st_mode)) return ASSAY_FAIL(err, ASSAY_EIO, subject, "is no folder");
    return ASSAY_OK;
}

assay_status assay_assayd_configure(assay_config *c, const assay_args *a, assay_errinfo *err)
{
    const char *file = a->value[OPT_CONFIG_FILE];
    assay_status s = assay_config_defaults(c, err);
    if (!file && access(usual_file, F_OK) == 0) file = usual_file;
    const char *const circuits = c->paths.circuits, *const models = c->paths.models;
    if (s == ASSAY_OK && file) s = assay_config_read(c, file, err);
    if (s == ASSAY_OK) s = set_flags(c, a, err);
    if (s == ASSAY_OK) s = assay_config_check(c, err);
    if (s == ASSAY_OK) s = check_folder("paths.circuits", c->paths.circuits, circuits, err);
    if (s == ASSAY_OK) s = check_folder("paths.models", c->paths.models, models, err);
    return s;
}

/* ---- memory */

static bool at_most(uint64_t *value, uint64_t most)
{
    const bool cut = *value > most;
    if (cut) *value = most;
    return cut;
}

bool assay_assayd_scale(assay_config *c, uint64_t budget)
{
    bool cut = at_most(&c->limits.total_memory, budget / 8);
    cut |= at_most(&c->limits.connection_memory, c->limits.total_memory);
    cut |= at_most(&c->limits.message, budget / 16);
    return cut;
}

uint64_t assay_assayd_memory(const assay_config *c)
{
    const uint64_t own = (uint64_t)32 << 20; /* pages, threads' stacks, the queue's cache */
    /* The queue packs one job's inputs when it takes it in, and one's when it hands it out. */
    return c->limits.total_memory + 2 * c->limits.message + own;
}
