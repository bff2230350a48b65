/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include "cli/process_tree.h"
#include "base/mem.h"
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PROCESSES = 65536 };

typedef struct process {
    pid_t pid, parent;
    bool inside;
} process;

/* The parent and, if wanted, the name (16 bytes); false when the process is gone. The name may hold anything, so the
 * numbers are those after the last bracket. */
static bool read_stat(pid_t pid, pid_t *parent, char name[16])
{
    char path[64], text[512];
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    if (!f) return false;
    const size_t n = fread(text, 1, sizeof text - 1, f);
    (void)fclose(f);
    text[n] = 0;
    char *open = strchr(text, '('), *close = strrchr(text, ')');
    if (!open || !close || close < open || strlen(close) < 5) return false;
    *parent = (pid_t)strtol(close + 4, NULL, 10);
    const size_t len = (size_t)(close - open - 1) < 15 ? (size_t)(close - open - 1) : 15;
    memcpy(name, open + 1, len);
    name[len] = 0;
    return true;
}

/* All processes; *n of them. NULL: out of memory. */
static process *list_processes(size_t *n)
{
    DIR *d = opendir("/proc");
    process *p = d ? assay_mem_alloc(PROCESSES, sizeof *p) : NULL;
    const struct dirent *e;
    *n = 0;
    while (p && *n < PROCESSES && (e = readdir(d))) {
        char name[16];
        const long pid = strtol(e->d_name, NULL, 10);
        if (pid <= 0 || !read_stat((pid_t)pid, &p[*n].parent, name)) continue;
        p[*n].pid = (pid_t)pid;
        (*n)++;
    }
    if (d) (void)closedir(d);
    return p;
}

/* Marks root and its descendants: parents may stand behind their children, so until nothing changes. */
static void mark_tree(process *p, size_t n, pid_t root)
{
    bool changed = true;
    for (size_t i = 0; i < n; i++) p[i].inside = p[i].pid == root;
    while (changed) {
        changed = false;
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n && !p[i].inside; k++)
                if (p[k].inside && p[k].pid == p[i].parent) p[i].inside = changed = true;
    }
}

static uint64_t memory_of(pid_t pid)
{
    char path[64], line[256];
    unsigned long long kib = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
    FILE *f = fopen(path, "re");
    if (!f) return 0;
    while (fgets(line, sizeof line, f))
        if (strncmp(line, "Pss:", 4) == 0) kib = strtoull(line + 4, NULL, 10);
    (void)fclose(f);
    return 1024 * (uint64_t)kib;
}

uint64_t assay_tree_memory(pid_t root)
{
    size_t n;
    uint64_t sum = 0;
    process *p = list_processes(&n);
    if (!p) return 0;
    mark_tree(p, n, root);
    for (size_t i = 0; i < n; i++)
        if (p[i].inside) sum += memory_of(p[i].pid);
    assay_mem_free(p);
    return sum;
}

pid_t assay_process_named(const char *name)
{
    size_t n;
    pid_t found = 0;
    process *p = list_processes(&n);
    if (!p) return 0;
    mark_tree(p, n, getpid());
    for (size_t i = 0; i < n && !found; i++) {
        char its[16];
        pid_t parent;
        if (!p[i].inside && read_stat(p[i].pid, &parent, its) && strcmp(its, name) == 0) found = p[i].pid;
    }
    assay_mem_free(p);
    return found;
}

/* ---- the watch */

struct assay_tree_watch {
    pid_t root;
    unsigned every_ms;
    pthread_t thread;
    pthread_mutex_t lock;
    uint64_t peak;
    size_t looks;
    bool stop;
};

static void *look(void *arg)
{
    assay_tree_watch *w = arg;
    const struct timespec t = {w->every_ms / 1000, (long)(w->every_ms % 1000) * 1000000};
    for (bool stop = false; !stop; (void)nanosleep(&t, NULL)) {
        const uint64_t now = assay_tree_memory(w->root);
        (void)pthread_mutex_lock(&w->lock);
        if (now > w->peak) w->peak = now;
        w->looks++;
        stop = w->stop;
        (void)pthread_mutex_unlock(&w->lock);
    }
    return NULL;
}

assay_tree_watch *assay_tree_watch_begin(pid_t root, unsigned every_ms)
{
    assay_tree_watch *w = assay_mem_alloc(1, sizeof *w);
    if (!w) return NULL;
    w->root = root;
    w->every_ms = every_ms;
    (void)pthread_mutex_init(&w->lock, NULL);
    if (pthread_create(&w->thread, NULL, look, w) == 0) return w;
    (void)pthread_mutex_destroy(&w->lock);
    assay_mem_free(w);
    return NULL;
}

uint64_t assay_tree_watch_peak(assay_tree_watch *w, size_t *looks)
{
    (void)pthread_mutex_lock(&w->lock);
    const uint64_t peak = w->peak;
    *looks = w->looks;
    (void)pthread_mutex_unlock(&w->lock);
    return peak;
}

void assay_tree_watch_end(assay_tree_watch *w)
{
    if (!w) return;
    (void)pthread_mutex_lock(&w->lock);
    w->stop = true;
    (void)pthread_mutex_unlock(&w->lock);
    (void)pthread_join(w->thread, NULL);
    (void)pthread_mutex_destroy(&w->lock);
    assay_mem_free(w);
}
