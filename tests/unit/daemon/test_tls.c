/* SPDX-License-Identifier: Apache-2.0 */
/* gRPC over TLS: who is let in, who is believed.
 * ctest: uses daemon */
#define _POSIX_C_SOURCE 200809L
#include "base/mem.h"
#include "daemon/certificates.h"
#include "daemon/client.h"
#include "daemon/server.h"
#include "daemon/service.h"
#include "harness.h"
#include <stdio.h>
#include <string.h>

typedef struct fixture {
    test_service *service;
    assay_rpc_method methods[TEST_SERVICE_METHODS];
    assay_server *server;
    char address[64], ours[6][300]; /* ca, server cert and key, client cert and key; another ca */
} fixture;

enum { CA, SERVER, SERVER_KEY, CLIENT, CLIENT_KEY, OTHER_CA };

static bool begin(fixture *f, bool mutual)
{
    static const char *const names[] = {"ours.pem",        "ours-server.pem", "ours-server.key",
                                        "ours-client.pem", "ours-client.key", "other.pem"};
    const char *folder = assay_test_tmpdir(), *listen = "127.0.0.1:0";
    memset(f, 0, sizeof *f);
    if (!CHECK(test_certificates_make(folder, "ours") && test_certificates_make(folder, "other"))) return false;
    for (int i = 0; i < 6; i++) (void)snprintf(f->ours[i], sizeof f->ours[i], "%.200s/%s", folder, names[i]);
    f->service = test_service_new();
    if (!CHECK(f->service != NULL)) return false;
    test_service_methods(f->service, f->methods);
    assay_server_options o = {.listen = &listen,
                              .n_listen = 1,
                              .methods = f->methods,
                              .n_methods = TEST_SERVICE_METHODS,
                              .workers = 1,
                              .max_message = 80 << 20,
                              .connection_memory = 400 << 20,
                              .total_memory = 400 << 20,
                              .max_connections = 100,
                              .max_streams = 100,
                              .handshake_timeout = 3000,
                              .request_timeout = 60000,
                              .idle_timeout = 60000,
                              .keepalive = 20000};
    o.tls = (assay_tls_files){f->ours[SERVER], f->ours[SERVER_KEY], mutual ? f->ours[CA] : NULL};
    if (!CHECK_OK(assay_server_new(&f->server, &o, NULL)) || !CHECK_OK(assay_server_start(f->server, NULL)))
        return false;
    (void)snprintf(f->address, sizeof f->address, "localhost:%u", (unsigned)assay_server_port(f->server, 0));
    return true;
}

static void end(fixture *f)
{
    assay_server_free(f->server);
    test_service_free(f->service);
}

/* One call; whether it went well. */
static bool calls(const fixture *f, const char *address, bool tls, const char *ca, const char *certificate,
                  const char *key, size_t n)
{
    assay_client *c = NULL;
    assay_buffer reply = {NULL, 0};
    assay_rpc_code code = ASSAY_RPC_UNKNOWN;
    const assay_client_options o = {
        .address = address, .tls = tls, .files = {certificate, key, ca}, .connect_timeout = 5000};
    uint8_t *p = assay_mem_alloc(n + 10, 1);
    size_t at = 0;
    (void)f;
    p[at++] = 0x0a; /* payload of n bytes */
    for (size_t left = n;; left >>= 7) {
        p[at++] = (uint8_t)((left & 127) | (left >> 7 ? 128 : 0));
        if (!(left >> 7)) break;
    }
    assay_status s = assay_client_new(&c, &o, NULL);
    if (s == ASSAY_OK)
        s = assay_client_call(c, "/assay.test.v1.Test/Echo", p, n + at, 20000, &reply, &code, NULL, NULL);
    const bool good = s == ASSAY_OK && code == ASSAY_RPC_OK && reply.n >= n;
    assay_buffer_free(&reply);
    assay_client_free(c);
    assay_mem_free(p);
    return good;
}

TEST(the_server_is_believed_for_its_authority_and_name)
{
    fixture f;
    char address[64];
    if (begin(&f, false)) {
        CHECK(calls(&f, f.address, true, f.ours[CA], NULL, NULL, 100));
        CHECK(!calls(&f, f.address, true, f.ours[OTHER_CA], NULL, NULL, 100));
        CHECK(!calls(&f, f.address, true, NULL, NULL, NULL, 100)); /* the system's authorities */
        (void)snprintf(address, sizeof address, "127.0.0.1:%s", strchr(f.address, ':') + 1);
        CHECK(calls(&f, address, true, f.ours[CA], NULL, NULL, 100));
        (void)snprintf(address, sizeof address, "127.0.0.2:%s", strchr(f.address, ':') + 1);
        CHECK(!calls(&f, address, true, f.ours[CA], NULL, NULL, 100)); /* not in the certificate */
        CHECK(!calls(&f, f.address, false, NULL, NULL, NULL, 100));    /* plain bytes */
        CHECK(calls(&f, f.address, true, f.ours[CA], NULL, NULL, 20000000));
    }
    end(&f);
}

TEST(clients_show_certificates)
{
    fixture f;
    char other[300], other_key[300];
    if (begin(&f, true)) {
        (void)snprintf(other, sizeof other, "%.200s/other-client.pem", assay_test_tmpdir());
        (void)snprintf(other_key, sizeof other_key, "%.200s/other-client.key", assay_test_tmpdir());
        CHECK(calls(&f, f.address, true, f.ours[CA], f.ours[CLIENT], f.ours[CLIENT_KEY], 100));
        CHECK(!calls(&f, f.address, true, f.ours[CA], NULL, NULL, 100));
        CHECK(!calls(&f, f.address, true, f.ours[CA], other, other_key, 100));
        CHECK(
            calls(&f, f.address, true, f.ours[CA], f.ours[CLIENT], f.ours[CLIENT_KEY], 100)); /* and goes on serving */
    }
    end(&f);
}

TEST(a_client_that_hangs_up_amid_a_reply)
{
    fixture f;
    if (begin(&f, false)) {
        for (int i = 0; i < 20; i++) {
            static const uint8_t request[] = {0x08, 100, 0x18, 0x80, 0x80, 0x10}; /* 100 messages of 256 KiB */
            assay_client *c = NULL;
            assay_client_stream *st = NULL;
            assay_buffer out = {NULL, 0};
            bool more = false;
            const assay_client_options o = {
                .address = f.address, .tls = true, .files = {NULL, NULL, f.ours[CA]}, .connect_timeout = 5000};
            REQUIRE_OK(assay_client_new(&c, &o, NULL));
            CHECK_OK(assay_client_open(c, &st, "/assay.test.v1.Test/Count", UINT64_MAX, NULL));
            CHECK_OK(assay_client_send(st, request, sizeof request, true, NULL));
            CHECK_OK(assay_client_receive(st, &out, &more, NULL));
            CHECK(more && out.n >= 1 << 18);
            assay_buffer_free(&out);
            assay_client_free(c);
        }
        CHECK(calls(&f, f.address, true, f.ours[CA], NULL, NULL, 100));
    }
    end(&f);
}

TEST(files_that_cannot_be_used)
{
    fixture f;
    assay_tls *t = NULL;
    assay_errinfo err = {0};
    if (begin(&f, false)) {
        const assay_tls_files none = {"/nowhere.pem", f.ours[SERVER_KEY], NULL},
                              mixed = {f.ours[SERVER], f.ours[CLIENT_KEY], NULL},
                              swapped = {f.ours[SERVER_KEY], f.ours[SERVER], NULL},
                              no_ca = {f.ours[SERVER], f.ours[SERVER_KEY], f.ours[SERVER_KEY]};
        CHECK_STATUS(assay_tls_server_new(&t, &none, &err), ASSAY_EIO);
        CHECK_EQ_STR(err.subject, "/nowhere.pem");
        CHECK(t == NULL);
        CHECK_STATUS(assay_tls_server_new(&t, &mixed, NULL), ASSAY_EIO);
        CHECK_STATUS(assay_tls_server_new(&t, &swapped, NULL), ASSAY_EIO);
        CHECK_STATUS(assay_tls_server_new(&t, &no_ca, NULL), ASSAY_EIO);
    }
    end(&f);
}
