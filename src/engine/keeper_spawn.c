/* SPDX-License-Identifier: Apache-2.0 */
/* Executing the program anew as a keeper process. */
#define _GNU_SOURCE
#include "engine/keeper_process.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* Variables that it gets: how libraries and sanitizers are found and told, what narrows the instruction set. Not the
 * daemon's passwords. */
static const char *const kept[] = {
    "PATH=",          "LD_LIBRARY_PATH=", "TZ=",           "ASSAY_",           "ASAN_OPTIONS=",
    "UBSAN_OPTIONS=", "TSAN_OPTIONS=",    "LSAN_OPTIONS=", "MALLOC_ARENA_MAX="};
enum { MOST_VARIABLES = 64 };

static void small_environment(char *out[MOST_VARIABLES + 1])
{
    size_t n = 0;
    for (char **e = environ; e && *e; e++)
        for (size_t i = 0; i < sizeof kept / sizeof *kept && n < MOST_VARIABLES; i++)
            if (strncmp(*e, kept[i], strlen(kept[i])) == 0) {
                out[n++] = *e;
                break;
            }
    out[n] = NULL;
}

/* 0, or an error number. */
static int prepare(posix_spawn_file_actions_t *files, posix_spawnattr_t *how, int socket)
{
    sigset_t none, all;
    (void)sigemptyset(&none);
    (void)sigfillset(&all);
    int e = posix_spawn_file_actions_adddup2(files, socket, ASSAY_KEEPER_SOCKET);
    if (!e) e = posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!e) e = posix_spawn_file_actions_addopen(files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!e) e = posix_spawn_file_actions_addclosefrom_np(files, ASSAY_KEEPER_SOCKET + 1);
    if (!e) e = posix_spawnattr_setsigmask(how, &none);
    if (!e) e = posix_spawnattr_setsigdefault(how, &all);
    if (!e) e = posix_spawnattr_setpgroup(how, 0);
    if (!e) e = posix_spawnattr_setflags(how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    return e;
}

assay_status assay_keeper_spawn(int *pid, const char *program, int socket, assay_errinfo *err)
{
    char parent[24], name[] = ASSAY_KEEPER_ARGUMENT, *environment[MOST_VARIABLES + 1];
    char zero[] = "assayd"; /* what ps shows, and pgrep finds */
    char *arguments[] = {zero, name, parent, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    pid_t made = -1;
    (void)snprintf(parent, sizeof parent, "%" PRIdMAX, (intmax_t)getpid());
    small_environment(environment);
    int e = posix_spawn_file_actions_init(&files);
    if (e) return ASSAY_FAIL_OS(err, ASSAY_ENOMEM, program, "cannot be started", e);
    e = posix_spawnattr_init(&how);
    if (!e) {
        e = prepare(&files, &how, socket);
        if (!e) e = posix_spawn(&made, program, &files, &how, arguments, environment);
        (void)posix_spawnattr_destroy(&how);
    }
    (void)posix_spawn_file_actions_destroy(&files);
    *pid = e ? -1 : (int)made;
    return e ? ASSAY_FAIL_OS(err, e == ENOMEM ? ASSAY_ENOMEM : ASSAY_EIO, program, "cannot be started", e) : ASSAY_OK;
}
