/* SPDX-License-Identifier: Apache-2.0 */
/* Serves the test service, health and reflection until standard input ends; prints a line for each port, then `ready`.
 *     test_server LISTEN[,LISTEN] [KEY VALUE]...     keys as in the configuration: tls.certificate, limits.message, ...
 *     test_server --certificates FOLDER NAME         makes certificates for tests (daemon/certificates.h)
 * The token of auth.token_file, if set, is asked for. */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include "base/mem.h"
#include "daemon/certificates.h"
#include "daemon/health.h"
#include "daemon/reflection.h"
#include "daemon/server.h"
#include "daemon/service.h"
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int failed(const assay_errinfo *err)
{
    char text[512];
    fprintf(stderr, "test_server: %s\n", assay_errinfo_text(err, text, sizeof text));
    return 2;
}

/* The first line of a file; freed by assay_mem_free. */
static assay_status read_token(char **out, const char *path, assay_errinfo *err)
{
    uint8_t *p = NULL;
    size_t n = 0;
    *out = NULL;
    if (!*path) return ASSAY_OK;
    assay_status s = assay_file_read(path, 4096, &p, &n, err);
    if (s == ASSAY_OK) {
        *out = assay_mem_alloc(n + 1, 1);
        if (*out) memcpy(*out, p, n);
        if (*out) (*out)[strcspn(*out, "\r\n")] = '\0';
    }
    assay_mem_free_secret(p, n);
    return s;
}

enum { METHODS = TEST_SERVICE_METHODS + ASSAY_HEALTH_METHODS + ASSAY_REFLECTION_METHODS };

/* Until the end of standard input; each line is answered with what the server counts. */
static void answer_lines(const assay_server *server)
{
    char line[64];
    while (fgets(line, sizeof line, stdin)) {
        const assay_server_stats now = assay_server_look(server);
        printf("connections %llu memory %llu refused %llu\n", (unsigned long long)now.connections,
               (unsigned long long)now.memory, (unsigned long long)now.refused);
        (void)fflush(stdout);
    }
}

static int serve(const assay_config *c, assay_errinfo *err)
{
    assay_rpc_method methods[METHODS];
    assay_health *health = NULL;
    assay_reflection *reflection = NULL;
    size_t n_services = 0;
    assay_server *server = NULL;
    char *token = NULL;
    test_service *service = test_service_new();
    assay_server_options o = assay_server_options_of(c);
    if (!service) return 2;
    test_service_methods(service, methods);
    o.methods = methods;
    o.n_methods = METHODS;
    assay_status s = read_token(&token, c->auth.token_file, err);
    assay_health_methods(NULL, methods + TEST_SERVICE_METHODS); /* their paths, for reflection to tell of */
    if (s == ASSAY_OK) s = assay_reflection_new(&reflection, methods, TEST_SERVICE_METHODS + ASSAY_HEALTH_METHODS, err);
    if (s == ASSAY_OK) {
        const char *const *services = assay_reflection_services(reflection, &n_services);
        s = assay_health_new(&health, services, n_services, err);
    }
    if (s == ASSAY_OK) {
        assay_health_methods(health, methods + TEST_SERVICE_METHODS);
        assay_reflection_methods(reflection, methods + TEST_SERVICE_METHODS + ASSAY_HEALTH_METHODS);
    }
    o.token = token;
    if (s == ASSAY_OK) s = assay_server_new(&server, &o, err);
    if (s == ASSAY_OK) s = assay_server_start(server, err);
    if (s == ASSAY_OK) {
        for (size_t i = 0; i < o.n_listen; i++) printf("port %u\n", (unsigned)assay_server_port(server, i));
        printf("ready\n");
        (void)fflush(stdout);
        assay_health_set(health, NULL, true);
        answer_lines(server);
        assay_health_stop(health);
        assay_server_stop(server, c->daemon.drain_timeout);
        printf("stopped\n");
    }
    assay_server_free(server);
    test_service_free(service);
    assay_health_free(health);
    assay_reflection_free(reflection);
    assay_mem_free(token);
    return s == ASSAY_OK ? 0 : failed(err);
}

int main(int argc, char **argv)
{
    assay_config c;
    assay_errinfo err = {0};
    struct rlimit files;
    if (argc == 4 && strcmp(argv[1], "--certificates") == 0) return test_certificates_make(argv[2], argv[3]) ? 0 : 2;
    if (argc < 2) return 2;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    assay_status s = assay_config_defaults(&c, &err);
    if (s == ASSAY_OK) s = assay_config_set(&c, "daemon.listen", argv[1], "LISTEN", &err);
    for (int i = 2; i + 1 < argc && s == ASSAY_OK; i += 2)
        s = assay_config_set(&c, argv[i], argv[i + 1], argv[i], &err);
    if (s == ASSAY_OK) s = assay_config_check(&c, &err);
    const int code = s == ASSAY_OK ? serve(&c, &err) : failed(&err);
    assay_config_clear(&c);
    return code;
}
