/* SPDX-License-Identifier: Apache-2.0 */
/* A configuration as a file that would set it. */
#include "base/write_text.h"
#include "daemon/config.h"
#include "daemon/quantity.h"
#include <inttypes.h>
#include <string.h>

/* Whether a parameter of an address may be a password: its name says so, or is written so as to hide what it says. */
static bool hides(const char *name, size_t n)
{
    static const char word[] = "password";
    for (size_t i = 0; i < n; i++)
        if (name[i] == '%' || (n - i >= sizeof word - 1 && memcmp(name + i, word, sizeof word - 1) == 0)) return true;
    return false;
}

/* A string as TOML writes it. The password of an address such as postgresql://user:password@host is left out, and one
 * among its parameters; also one with a slash in it, which no server would understand. */
static void write_string(assay_writer *w, const char *text)
{
    const char *scheme = strstr(text, "://"), *user = scheme ? scheme + 3 : text;
    const char *end = user + strcspn(user, "?#"), *at = NULL, *colon = NULL;
    for (const char *p = user; scheme && p < end; p++)
        if (*p == '@') at = p;
    if (at) colon = memchr(user, ':', (size_t)(at - user));
    const char *query = scheme && *end ? strchr(end, '?') : NULL, *hidden = NULL;
    assay_write_u8(w, '"');
    for (const char *p = text; *p; p++) {
        if (colon && p == colon + 1) {
            assay_write_text(w, "...");
            p = at;
        }
        if (query && p > query && (p[-1] == '?' || p[-1] == '&')) {
            const size_t name = strcspn(p, "=&");
            hidden = p[name] == '=' && hides(p, name) ? p + name : NULL;
        }
        const unsigned char b = (unsigned char)*p;
        if (b < 0x20 || b == 0x7F)
            assay_write_text(w, "\\u%04X", b);
        else
            assay_write_text(w, b == '"' || b == '\\' ? "\\%c" : "%c", b);
        if (p == hidden) {
            assay_write_text(w, "...");
            p += strcspn(p + 1, "&");
        }
    }
    assay_write_u8(w, '"');
}

static void write_value(assay_writer *w, const assay_config_key *k, const void *field)
{
    char text[ASSAY_QUANTITY_BYTES];
    const uint64_t number =
        k->kind == CONFIG_COUNT || k->kind == CONFIG_SIZE || k->kind == CONFIG_DURATION || k->kind == CONFIG_WORD
            ? *(const uint64_t *)field
            : 0;
    if (k->or_auto && number == ASSAY_CONFIG_AUTO) {
        assay_write_text(w, "\"auto\"");
        return;
    }
    switch (k->kind) {
    case CONFIG_TEXT:
        write_string(w, *(const char *const *)field);
        break;
    case CONFIG_TEXTS: {
        const assay_config_texts *list = field;
        assay_write_u8(w, '[');
        for (size_t i = 0; i < list->n; i++) {
            if (i) assay_write_text(w, ", ");
            write_string(w, list->at[i]);
        }
        assay_write_u8(w, ']');
        break;
    }
    case CONFIG_BOOLEAN:
        assay_write_text(w, *(const bool *)field ? "true" : "false");
        break;
    case CONFIG_COUNT:
        assay_write_text(w, "%" PRIu64, number);
        break;
    case CONFIG_COUNTS: {
        const assay_config_numbers *list = field;
        assay_write_u8(w, '[');
        for (size_t i = 0; i < list->n; i++) assay_write_text(w, "%s%" PRIu64, i ? ", " : "", list->at[i]);
        assay_write_u8(w, ']');
        break;
    }
    case CONFIG_SIZE:
        assay_write_text(w, "\"%s\"", assay_size_text(text, number));
        break;
    case CONFIG_DURATION:
        assay_write_text(w, "\"%s\"", assay_duration_text(text, number));
        break;
    case CONFIG_WORD:
        assay_write_text(w, "\"%s\"", k->words[number]);
        break;
    }
}

void assay_config_print(assay_writer *w, const assay_config *c)
{
    const char *section = "";
    for (size_t i = 0; i < assay_config_n_keys; i++) {
        const assay_config_key *k = &assay_config_keys[i];
        if (strcmp(section, k->section) != 0) assay_write_text(w, "%s[%s]\n", i ? "\n" : "", k->section);
        section = k->section;
        assay_write_text(w, "%s = ", k->key);
        write_value(w, k, (const char *)c + k->offset);
        assay_write_u8(w, '\n');
    }
}
