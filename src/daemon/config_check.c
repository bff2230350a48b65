/* SPDX-License-Identifier: Apache-2.0 */
/* What the keys of a configuration must be to each other. */
#include "daemon/address.h"
#include "daemon/config.h"
#include <string.h>

static bool is_set(const char *text)
{
    return *text != '\0';
}

static assay_status check_addresses(const assay_config *c, assay_errinfo *err)
{
    const bool locked = is_set(c->auth.token_file) || is_set(c->tls.client_ca) || c->auth.insecure;
    assay_address a;
    if (c->daemon.listen.n == 0) return ASSAY_FAIL(err, ASSAY_EFORMAT, "daemon.listen", "is empty: nobody could call");
    for (size_t i = 0; i < c->daemon.listen.n; i++) {
        assay_status s = assay_address_parse(&a, c->daemon.listen.at[i], "daemon.listen", err);
        if (s != ASSAY_OK) return s;
        if (!locked && !assay_address_is_private(&a))
            return ASSAY_FAIL(
                err, ASSAY_EFORMAT, "daemon.listen",
                "other machines could call: set auth.token_file or tls.client_ca, or auth.insecure = true");
    }
    if (!is_set(c->daemon.status_listen)) return ASSAY_OK;
    assay_status s = assay_address_parse(&a, c->daemon.status_listen, "daemon.status_listen", err);
    if (s == ASSAY_OK && !is_set(c->auth.token_file) && !c->auth.insecure && !assay_address_is_private(&a))
        return ASSAY_FAIL(err, ASSAY_EFORMAT, "daemon.status_listen",
                          "other machines could look: set auth.token_file, or auth.insecure = true");
    return s;
}

static assay_status check_tls(const assay_config *c, assay_errinfo *err)
{
    if (is_set(c->tls.certificate) != is_set(c->tls.key))
        return ASSAY_FAIL(err, ASSAY_EFORMAT, "tls", "certificate and key belong together");
    if (is_set(c->tls.client_ca) && !is_set(c->tls.certificate))
        return ASSAY_FAIL(err, ASSAY_EFORMAT, "tls.client_ca", "needs tls.certificate and tls.key");
    return ASSAY_OK;
}

assay_status assay_config_check(const assay_config *c, assay_errinfo *err)
{
    assay_status s = check_tls(c, err);
    if (s == ASSAY_OK) s = check_addresses(c, err);
    if (s != ASSAY_OK) return s;
    if (c->limits.connection_memory < c->limits.message)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "limits.connection_memory", "is less than limits.message",
                           c->limits.connection_memory, c->limits.message);
    if (c->limits.total_memory < c->limits.connection_memory)
        return ASSAY_FAIL2(err, ASSAY_ERANGE, "limits.total_memory", "is less than limits.connection_memory",
                           c->limits.total_memory, c->limits.connection_memory);
    if (is_set(c->queue.url) && strncmp(c->queue.url, "postgresql://", 13) != 0)
        return ASSAY_FAIL(err, ASSAY_EFORMAT, "queue.url", "does not begin with postgresql://");
    if (!is_set(c->queue.url) && !is_set(c->queue.path))
        return ASSAY_FAIL(err, ASSAY_EFORMAT, "queue.path", "is empty, and so is queue.url");
    return ASSAY_OK;
}
