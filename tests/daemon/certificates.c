/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates for tests, with OpenSSL: P-256 keys, a day of life. */
#define _POSIX_C_SOURCE 200809L
#include "daemon/certificates.h"
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>

static bool extend(X509 *x, X509 *issuer, int what, const char *value)
{
    X509V3_CTX ctx;
    X509V3_set_ctx_nodb(&ctx);
    X509V3_set_ctx(&ctx, issuer, x, NULL, NULL, 0);
    X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, &ctx, what, value);
    const bool good = e && X509_add_ext(x, e, -1) == 1;
    X509_EXTENSION_free(e);
    return good;
}

/* A certificate over key, by the issuer's key; issuer NULL: by itself, an authority. */
static X509 *certify(EVP_PKEY *key, const char *who, X509 *issuer, EVP_PKEY *issuer_key)
{
    static long serial = 1;
    X509 *x = X509_new();
    if (!x) return NULL;
    X509_NAME *name = X509_get_subject_name(x);
    (void)X509_set_version(x, 2);
    (void)ASN1_INTEGER_set(X509_get_serialNumber(x), serial++);
    (void)X509_gmtime_adj(X509_getm_notBefore(x), -3600);
    (void)X509_gmtime_adj(X509_getm_notAfter(x), 86400);
    (void)X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)who, -1, -1, 0);
    (void)X509_set_issuer_name(x, issuer ? X509_get_subject_name(issuer) : name);
    (void)X509_set_pubkey(x, key);
    bool good = issuer ? extend(x, issuer, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1")
                       : extend(x, x, NID_basic_constraints, "critical,CA:TRUE");
    good = good && X509_sign(x, issuer ? issuer_key : key, EVP_sha256()) != 0;
    if (good) return x;
    X509_free(x);
    return NULL;
}

static bool write_pem(const char *folder, const char *name, const char *suffix, const X509 *x, const EVP_PKEY *key)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s%s", folder, name, suffix);
    FILE *f = fopen(path, "w");
    if (!f) return false;
    const int good = x ? PEM_write_X509(f, x) : PEM_write_PrivateKey(f, key, NULL, NULL, 0, NULL, NULL);
    return fclose(f) == 0 && good == 1;
}

static bool make_leaf(const char *folder, const char *name, const char *who, X509 *authority, EVP_PKEY *authority_key)
{
    char suffix[64];
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *x = key ? certify(key, who, authority, authority_key) : NULL;
    (void)snprintf(suffix, sizeof suffix, "-%s.pem", who);
    bool good = x && write_pem(folder, name, suffix, x, NULL);
    (void)snprintf(suffix, sizeof suffix, "-%s.key", who);
    good = good && write_pem(folder, name, suffix, NULL, key);
    X509_free(x);
    EVP_PKEY_free(key);
    return good;
}

bool test_certificates_make(const char *folder, const char *name)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *x = key ? certify(key, name, NULL, NULL) : NULL;
    const bool good = x && write_pem(folder, name, ".pem", x, NULL) && make_leaf(folder, name, "server", x, key) &&
                      make_leaf(folder, name, "client", x, key);
    X509_free(x);
    EVP_PKEY_free(key);
    return good;
}
