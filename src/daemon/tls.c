/* SPDX-License-Identifier: Apache-2.0 */
/* TLS by OpenSSL: settings, and the socket that may go through it. */
#define _POSIX_C_SOURCE 200809L
#include "daemon/tls.h"
#include "base/mem.h"
#include "daemon/transport.h"
#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct assay_tls {
    SSL_CTX *ctx;
    BIO_METHOD *socket;
};

/* ---- the socket below TLS: OpenSSL's own would let a lost connection raise SIGPIPE */

static int socket_of(BIO *b)
{
    return (int)(intptr_t)BIO_get_data(b);
}

static int socket_read(BIO *b, char *p, int n)
{
    const ssize_t got = recv(socket_of(b), p, (size_t)n, 0);
    BIO_clear_retry_flags(b);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(b);
    return (int)got;
}

static int socket_write(BIO *b, const char *p, int n)
{
    const ssize_t put = send(socket_of(b), p, (size_t)n, MSG_NOSIGNAL);
    BIO_clear_retry_flags(b);
    if (put < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(b);
    return (int)put;
}

static long socket_control(BIO *b, int what, long number, void *p)
{
    (void)b;
    (void)number;
    (void)p;
    return what == BIO_CTRL_FLUSH;
}

static BIO_METHOD *make_socket(void)
{
    BIO_METHOD *m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "assay socket");
    if (m && BIO_meth_set_read(m, socket_read) == 1 && BIO_meth_set_write(m, socket_write) == 1 &&
        BIO_meth_set_ctrl(m, socket_control) == 1)
        return m;
    BIO_meth_free(m);
    return NULL;
}

/* Gives a connection its socket, which stays the caller's. */
static bool use_socket(const assay_tls *t, SSL *ssl, int fd)
{
    BIO *b = BIO_new(t->socket);
    if (!b) return false;
    BIO_set_data(b, (void *)(intptr_t)fd);
    BIO_set_init(b, 1);
    SSL_set_bio(ssl, b, b);
    return true;
}

/* ---- settings */

static const unsigned char alpn[] = {2, 'h', '2'};

static int choose_h2(SSL *ssl, const unsigned char **out, unsigned char *n_out, const unsigned char *in, unsigned n_in,
                     void *arg)
{
    (void)ssl;
    (void)arg;
    for (unsigned i = 0; i < n_in && n_in - i > in[i]; i += 1u + in[i])
        if (in[i] == 2 && memcmp(in + i + 1, "h2", 2) == 0) {
            *out = in + i + 1;
            *n_out = 2;
            return SSL_TLSEXT_ERR_OK;
        }
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

static bool given(const char *file)
{
    return file && *file;
}

static assay_status use_files(SSL_CTX *ctx, const assay_tls_files *f, assay_errinfo *err)
{
    if (given(f->certificate) && SSL_CTX_use_certificate_chain_file(ctx, f->certificate) != 1)
        return ASSAY_FAIL(err, ASSAY_EIO, f->certificate, "cannot be used as a certificate (PEM)");
    if (given(f->key) && SSL_CTX_use_PrivateKey_file(ctx, f->key, SSL_FILETYPE_PEM) != 1)
        return ASSAY_FAIL(err, ASSAY_EIO, f->key, "cannot be used as the certificate's private key (PEM)");
    if (given(f->key) && SSL_CTX_check_private_key(ctx) != 1)
        return ASSAY_FAIL(err, ASSAY_EIO, f->key, "is not the key of the certificate");
    if (given(f->authorities) && SSL_CTX_load_verify_locations(ctx, f->authorities, NULL) != 1)
        return ASSAY_FAIL(err, ASSAY_EIO, f->authorities, "cannot be used as certificates of authorities (PEM)");
    return ASSAY_OK;
}

static assay_status make(assay_tls **out, const SSL_METHOD *method, assay_errinfo *err)
{
    assay_tls *t = assay_mem_alloc(1, sizeof *t);
    *out = NULL;
    if (t) t->ctx = SSL_CTX_new(method);
    if (t) t->socket = make_socket();
    if (!t || !t->ctx || !t->socket || SSL_CTX_set_min_proto_version(t->ctx, TLS1_2_VERSION) != 1) {
        assay_tls_free(t);
        return ASSAY_FAIL(err, ASSAY_ENOMEM, "TLS", "cannot be set up");
    }
    (void)SSL_CTX_set_mode(t->ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                       SSL_MODE_RELEASE_BUFFERS);
    (void)SSL_CTX_set_options(t->ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    (void)SSL_CTX_set_session_cache_mode(t->ctx, SSL_SESS_CACHE_OFF);
    *out = t;
    return ASSAY_OK;
}

static assay_status ready(assay_tls **out, const assay_tls_files *files, assay_errinfo *err)
{
    assay_status s = use_files((*out)->ctx, files, err);
    ERR_clear_error();
    if (s == ASSAY_OK) return s;
    assay_tls_free(*out);
    *out = NULL;
    return s;
}

assay_status assay_tls_server_new(assay_tls **out, const assay_tls_files *files, assay_errinfo *err)
{
    assay_status s = make(out, TLS_server_method(), err);
    if (s != ASSAY_OK) return s;
    SSL_CTX_set_alpn_select_cb((*out)->ctx, choose_h2, NULL);
    if (given(files->authorities))
        SSL_CTX_set_verify((*out)->ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    return ready(out, files, err);
}

assay_status assay_tls_client_new(assay_tls **out, const assay_tls_files *files, assay_errinfo *err)
{
    assay_status s = make(out, TLS_client_method(), err);
    if (s != ASSAY_OK) return s;
    SSL_CTX_set_verify((*out)->ctx, SSL_VERIFY_PEER, NULL);
    if (!given(files->authorities)) (void)SSL_CTX_set_default_verify_paths((*out)->ctx);
    return ready(out, files, err);
}

void assay_tls_free(assay_tls *t)
{
    if (!t) return;
    SSL_CTX_free(t->ctx);
    BIO_meth_free(t->socket);
    assay_mem_free(t);
}

/* ---- sockets through it */

/* The name, or the number, that the server's certificate must be for. */
static bool expect_host(SSL *ssl, const char *host)
{
    X509_VERIFY_PARAM *p = SSL_get0_param(ssl);
    if (X509_VERIFY_PARAM_set1_ip_asc(p, host) == 1) return true;
    ERR_clear_error();
    void *name = (void *)(uintptr_t)host; /* what SSL_set_tlsext_host_name does; it is copied */
    return SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name) == 1 &&
           SSL_set1_host(ssl, host) == 1;
}

assay_status assay_transport_open(assay_transport *t, int fd, assay_tls *tls, const char *host, assay_errinfo *err)
{
    *t = (assay_transport){.fd = fd, .server = host == NULL, .ready = tls == NULL};
    if (!tls) return ASSAY_OK;
    t->ssl = SSL_new(tls->ctx);
    bool good = t->ssl && use_socket(tls, t->ssl, fd);
    if (good && host) good = SSL_set_alpn_protos(t->ssl, alpn, sizeof alpn) == 0 && expect_host(t->ssl, host);
    if (good) return ASSAY_OK;
    assay_transport_close(t);
    return ASSAY_FAIL(err, ASSAY_ENOMEM, "TLS", "out of memory");
}

void assay_transport_close(assay_transport *t)
{
    if (t->ssl) {
        if (t->ready) (void)SSL_shutdown(t->ssl); /* says goodbye if it can be said at once */
        SSL_free(t->ssl);
        ERR_clear_error();
    }
    if (t->fd >= 0) (void)close(t->fd);
    *t = (assay_transport){.fd = -1};
}

static assay_io outcome(assay_transport *t, int result)
{
    const int why = SSL_get_error(t->ssl, result);
    ERR_clear_error();
    t->wants_write = why == SSL_ERROR_WANT_WRITE;
    if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) return IO_WAIT;
    return why == SSL_ERROR_ZERO_RETURN ? IO_END : IO_BROKEN;
}

assay_io assay_transport_handshake(assay_transport *t)
{
    const unsigned char *chosen = NULL;
    unsigned n = 0;
    if (t->ready) return IO_SOME;
    const int result = t->server ? SSL_accept(t->ssl) : SSL_connect(t->ssl);
    if (result != 1) return outcome(t, result) == IO_WAIT ? IO_WAIT : IO_BROKEN;
    SSL_get0_alpn_selected(t->ssl, &chosen, &n);
    if (n != 2 || memcmp(chosen, "h2", 2) != 0) return IO_BROKEN;
    t->ready = true;
    t->wants_write = false;
    return IO_SOME;
}

static assay_io of_errno(ssize_t result, size_t *done)
{
    if (result >= 0) {
        *done = (size_t)result;
        return result ? IO_SOME : IO_END;
    }
    return errno == EAGAIN || errno == EINTR ? IO_WAIT : IO_BROKEN;
}

assay_io assay_transport_read(assay_transport *t, void *p, size_t n, size_t *done)
{
    *done = 0;
    if (!t->ssl) return of_errno(recv(t->fd, p, n, 0), done);
    t->wants_write = false;
    const int result = SSL_read_ex(t->ssl, p, n, done);
    return result == 1 ? IO_SOME : outcome(t, result);
}

assay_io assay_transport_write(assay_transport *t, const void *p, size_t n, size_t *done)
{
    *done = 0;
    if (!t->ssl) return of_errno(send(t->fd, p, n, MSG_NOSIGNAL), done);
    t->wants_write = false;
    const int result = SSL_write_ex(t->ssl, p, n, done);
    return result == 1 ? IO_SOME : outcome(t, result);
}

bool assay_transport_has_more(const assay_transport *t)
{
    return t->ssl && SSL_has_pending(t->ssl);
}
