/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses as text. */
#include "daemon/address.h"
#include <arpa/inet.h>
#include <string.h>

static assay_status parse_local(assay_address *out, const char *path, const char *what, assay_errinfo *err)
{
    const size_t n = strlen(path);
    if (n == 0) return ASSAY_FAIL(err, ASSAY_EFORMAT, what, "a unix socket needs a path");
    if (n >= sizeof out->path) return ASSAY_FAIL(err, ASSAY_EFORMAT, what, "the path of a unix socket is too long");
    out->local = true;
    memcpy(out->path, path, n + 1);
    return ASSAY_OK;
}

/* 1 to 5 digits up to 65535, without needless zeros. */
static bool parse_port(uint16_t *out, const char *p)
{
    uint32_t v = 0;
    size_t n = 0;
    for (; p[n] >= '0' && p[n] <= '9' && n < 6; n++) v = 10 * v + (uint32_t)(p[n] - '0');
    *out = (uint16_t)v;
    return n > 0 && n < 6 && p[n] == '\0' && v <= 65535 && (n == 1 || p[0] != '0');
}

assay_status assay_address_parse(assay_address *out, const char *text, const char *what, assay_errinfo *err)
{
    memset(out, 0, sizeof *out);
    if (strncmp(text, "unix:", 5) == 0)
        return parse_local(out, strncmp(text + 5, "//", 2) == 0 ? text + 7 : text + 5, what, err);
    if (strncmp(text, "http://", 7) == 0) text += 7;
    const bool six = *text == '[';
    const char *end = strrchr(text, six ? ']' : ':');
    const char *colon = six && end ? end + 1 : end, *host = six ? text + 1 : text;
    if (!end || *colon != ':' || end == host || (size_t)(end - host) >= sizeof out->host ||
        !parse_port(&out->port, colon + 1))
        return ASSAY_FAIL(err, ASSAY_EFORMAT, what, "an address is HOST:PORT, [IPV6]:PORT or unix:///PATH");
    memcpy(out->host, host, (size_t)(end - host));
    struct in6_addr a6;
    if (six ? inet_pton(AF_INET6, out->host, &a6) != 1 : strpbrk(out->host, ":/[]@ ") != NULL)
        return ASSAY_FAIL(err, ASSAY_EFORMAT, what, "an address is HOST:PORT, [IPV6]:PORT or unix:///PATH");
    return ASSAY_OK;
}

bool assay_address_is_private(const assay_address *a)
{
    struct in_addr a4;
    struct in6_addr a6;
    if (a->local || strcmp(a->host, "localhost") == 0) return true;
    if (inet_pton(AF_INET, a->host, &a4) == 1) return ntohl(a4.s_addr) >> 24 == 127;
    return inet_pton(AF_INET6, a->host, &a6) == 1 && memcmp(&a6, &in6addr_loopback, sizeof a6) == 0;
}
