/* SPDX-License-Identifier: Apache-2.0 */
/* The example file, the documentation and the man page of the configuration, from the table of keys. */
#include "assay/version.h"
#include "base/write_text.h"
#include "daemon/config.h"
#include "daemon/quantity.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 1024 };

/* What a key takes, for people. */
static const char *takes(char out[LINE], const assay_config_key *k)
{
    char low[ASSAY_QUANTITY_BYTES], high[ASSAY_QUANTITY_BYTES];
    const char *may = k->or_auto ? ", or \"auto\"" : "";
    size_t n = 0;
    switch (k->kind) {
    case CONFIG_TEXT:
        return "a string";
    case CONFIG_TEXTS:
        return "strings";
    case CONFIG_BOOLEAN:
        return "true or false";
    case CONFIG_COUNT:
        (void)snprintf(out, LINE, "%" PRIu64 " to %" PRIu64 "%s", k->least, k->most, may);
        return out;
    case CONFIG_COUNTS:
        (void)snprintf(out, LINE, "numbers of %" PRIu64 " to %" PRIu64, k->least, k->most);
        return out;
    case CONFIG_SIZE:
        (void)snprintf(out, LINE, "a size of %s to %s%s", assay_size_text(low, k->least),
                       assay_size_text(high, k->most), may);
        return out;
    case CONFIG_DURATION:
        (void)snprintf(out, LINE, "a duration of %s to %s", assay_duration_text(low, k->least),
                       assay_duration_text(high, k->most));
        return out;
    case CONFIG_WORD:
        for (const char *const *word = k->words; *word; word++)
            n += (size_t)snprintf(out + n, LINE - n, "%s\"%s\"", n ? ", " : "", *word);
        return out;
    }
    return "";
}

void assay_config_example(assay_writer *w)
{
    const char *section = "";
    char line[LINE];
    assay_write_text(
        w,
        "# SPDX-License-Identifier: Apache-2.0\n"
        "# Every key of assayd's configuration, at its default; any of them may be left out. `assayd --check-config`\n"
        "# reads a file and says what is wrong with it. Sizes are whole numbers and B, KiB, MiB, GiB or TiB; "
        "durations\n"
        "# are whole numbers and ms, s, m, h or d.\n");
    for (size_t i = 0; i < assay_config_n_keys; i++) {
        const assay_config_key *k = &assay_config_keys[i];
        if (strcmp(section, k->section) != 0) assay_write_text(w, "\n[%s]\n", k->section);
        section = k->section;
        assay_write_text(w, "# %s (%s)\n%s = %s\n", k->help, takes(line, k), k->key, k->initial);
    }
}

void assay_config_markdown(assay_writer *w)
{
    char line[LINE];
    assay_write_text(
        w, "<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
           "# Configuration of assayd\n\n"
           "A TOML 1.0 file (`--config FILE`), without dates. Every key may be left out. A key that is not in this "
           "table,\n"
           "a value of another type or out of range is an error that names file, line and key.\n"
           "[examples/assayd.toml](../examples/assayd.toml) holds every key at its default. Sizes are whole numbers "
           "and B,\n"
           "KiB, MiB, GiB or TiB (K, M, G, T for short); durations are whole numbers and ms, s, m, h or d; both in "
           "quotes.\n"
           "Where a list of strings is taken, one string alone will do. Written by `scripts/make-config-docs.sh` from "
           "the\n"
           "table in `src/daemon/config_table.c`.\n\n"
           "| key | takes | default | meaning |\n|---|---|---|---|\n");
    for (size_t i = 0; i < assay_config_n_keys; i++) {
        const assay_config_key *k = &assay_config_keys[i];
        assay_write_text(w, "| `%s.%s` | %s | `%s` | %s |\n", k->section, k->key, takes(line, k), k->initial, k->help);
    }
    assay_write_text(
        w, "\nAn address that other machines can reach needs `auth.token_file` or `tls.client_ca`, or `auth.insecure = "
           "true`;\nfor `daemon.status_listen` a token or `auth.insecure`.\n"
           "`limits.message` is at most `limits.connection_memory`, and that at most `limits.total_memory`.\n\n"
           "This version computes on processors only and has no circuits of Filecoin: `memory.gpu_total`,\n"
           "`memory.gpu_margin`, `engine.gpus` and `paths.params` are checked, and do nothing.\n");
}

/* roff's special characters; backticks, Markdown's, become bold. */
static void roff(assay_writer *w, const char *text)
{
    bool bold = false;
    for (; *text; text++) {
        if (*text == '`') {
            bold = !bold;
            assay_write_text(w, bold ? "\\fB" : "\\fR");
        } else if (*text == '\\') {
            assay_write_text(w, "\\\\");
        } else if (*text == '-') {
            assay_write_text(w, "\\-");
        } else if (*text == '\'' || *text == '.') {
            assay_write_text(w, "\\&%c", *text);
        } else {
            assay_write_bytes(w, text, 1);
        }
    }
}

void assay_config_man(assay_writer *w)
{
    const char *section = "";
    char line[LINE];
    assay_write_text(w,
                     ".\\\" SPDX-License-"
                     "Identifier: Apache-2.0\n.\\\" Made from the table of keys; do not edit.\n"
                     ".TH assayd.toml 5 \"\" \"Assay %s\"\n.SH NAME\nassayd.toml \\- configuration of assayd\n"
                     ".SH DESCRIPTION\n",
                     ASSAY_VERSION_STRING);
    roff(w, "A TOML 1.0 file without dates, given as `assayd --config FILE`. Every key may be left out. A key that is "
            "not described here, a value of another type or out of range is an error that names file, line and key. "
            "Sizes are whole numbers and B, KiB, MiB, GiB or TiB; durations are whole numbers and ms, s, m, h or d; "
            "both in quotes. Where strings are taken, one string alone will do.");
    for (size_t i = 0; i < assay_config_n_keys; i++) {
        const assay_config_key *k = &assay_config_keys[i];
        if (strcmp(section, k->section) != 0) assay_write_text(w, "\n.SH [%s]", k->section);
        section = k->section;
        assay_write_text(w, "\n.TP\n.B %s\n", k->key);
        roff(w, k->help);
        roff(w, ". Takes ");
        roff(w, takes(line, k));
        roff(w, "; default `");
        roff(w, k->initial);
        roff(w, "`.");
    }
    assay_write_text(w, "\n.SH NOTES\n");
    roff(w, "An address of `listen` that other machines can reach needs `token_file` or `client_ca`, or `insecure = "
            "true`; `status_listen` a token or `insecure`. `limits.message` is at most `limits.connection_memory`, and "
            "that at most `limits.total_memory`. This version computes on processors only and has no circuits of "
            "Filecoin: `gpu_total`, `gpu_margin`, `gpus` and `params` are checked, and do nothing.");
    assay_write_text(w, "\n.SH EXAMPLE\n.nf\n.RS\n");
    roff(w, "[daemon]");
    assay_write_text(w, "\n");
    roff(w, "listen = [\"unix:///run/assay/assayd.sock\", \"0.0.0.0:9820\"]");
    assay_write_text(w, "\n\n");
    roff(w, "[auth]");
    assay_write_text(w, "\n");
    roff(w, "token_file = \"/etc/assay/token\"");
    assay_write_text(w, "\n.RE\n.fi\n.SH SEE ALSO\n.BR assayd (1)\n");
}
