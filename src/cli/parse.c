/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines. */
#include "assay/version.h"
#include "cli/options.h"
#include "cli/report.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The option that the n characters of name name, or OPT_COUNT. dash: after a single dash. */
static assay_opt_id find_name(const assay_command *c, const char *name, size_t n, bool dash)
{
    for (unsigned i = 0; i < OPT_COUNT; i++) {
        const assay_opt *o = &assay_options[i];
        if (assay_command_takes(c, (assay_opt_id)i) && (!dash || o->dash) && strlen(o->name) == n &&
            memcmp(o->name, name, n) == 0)
            return (assay_opt_id)i;
    }
    return OPT_COUNT;
}

static assay_opt_id find_letter(const assay_command *c, char letter)
{
    for (unsigned i = 0; i < OPT_COUNT; i++)
        if (assay_command_takes(c, (assay_opt_id)i) && assay_options[i].letter == letter) return (assay_opt_id)i;
    return OPT_COUNT;
}

static int usage(const assay_args *a, const char *what, const char *which)
{
    char name[64], text[512];
    (void)assay_command_name(a->command, name, sizeof name);
    (void)snprintf(text, sizeof text, "%s%s%s (%s --help says more)", what, which[0] ? ": " : "", which, name);
    assay_report_line(name, text);
    return ASSAY_EXIT_USAGE;
}

/* Stores a value; value = NULL: none was attached, and the next argument is one if the option takes one. */
static int store(assay_args *a, assay_opt_id id, const char *value, int argc, char **argv, int *at)
{
    const assay_opt *o = &assay_options[id];
    const bool again = a->value[id] != NULL;
    if (again && !assay_command_repeats(a->command, id)) return usage(a, "option given twice", o->name);
    if (again && assay_args_times(a, id) == ASSAY_MAX_TIMES) return usage(a, "option given too often", o->name);
    if (!o->arg && value) return usage(a, "option takes no value", o->name);
    if (o->arg && !value) {
        if (*at + 1 >= argc) return usage(a, "option needs a value", o->name);
        value = argv[++*at];
    }
    if (again)
        a->again[a->n_again++] = (assay_given){id, value};
    else
        a->value[id] = o->arg ? value : "";
    return -1;
}

static int long_option(assay_args *a, const char *name, bool dash, int argc, char **argv, int *at)
{
    const char *equals = strchr(name, '=');
    size_t n = equals ? (size_t)(equals - name) : strlen(name);
    assay_opt_id id = find_name(a->command, name, n, dash);
    return id == OPT_COUNT ? usage(a, "unknown option", argv[*at])
                           : store(a, id, equals ? equals + 1 : NULL, argc, argv, at);
}

/* -l, -lVALUE, or several flags after one dash. */
static int letters(assay_args *a, const char *p, int argc, char **argv, int *at)
{
    const char *whole = argv[*at];
    for (; *p; p++) {
        assay_opt_id id = find_letter(a->command, *p);
        if (id == OPT_COUNT) return usage(a, "unknown option", whole);
        bool valued = assay_options[id].arg != NULL;
        int code = store(a, id, valued && p[1] ? p + 1 : NULL, argc, argv, at);
        if (code >= 0 || valued) return code;
    }
    return -1;
}

static int one_option(assay_args *a, int argc, char **argv, int *at)
{
    const char *arg = argv[*at];
    if (arg[1] == '-') return long_option(a, arg + 2, false, argc, argv, at);
    size_t n = strcspn(arg + 1, "=");
    if (find_name(a->command, arg + 1, n, true) != OPT_COUNT) return long_option(a, arg + 1, true, argc, argv, at);
    return letters(a, arg + 1, argc, argv, at);
}

static size_t count_words(const char *s)
{
    size_t n = *s != 0;
    for (; *s; s++) n += *s == ' ';
    return n;
}

/* Operands that must be there: those before the first in brackets. */
static size_t count_required(const char *s)
{
    size_t n = 0;
    for (bool begins = true; *s && *s != '['; s++) {
        n += begins;
        begins = *s == ' ';
    }
    return n;
}

size_t assay_args_times(const assay_args *a, assay_opt_id id)
{
    size_t n = a->value[id] != NULL;
    for (size_t i = 0; i < a->n_again; i++) n += a->again[i].id == id;
    return n;
}

const char *assay_args_nth(const assay_args *a, assay_opt_id id, size_t i)
{
    if (i == 0) return a->value[id];
    for (size_t k = 0; k < a->n_again; k++)
        if (a->again[k].id == id && --i == 0) return a->again[k].value;
    return NULL;
}

static int answer_help(const assay_args *a)
{
    if (args_has(a, OPT_HELP))
        assay_help_print(a->command);
    else if (args_has(a, OPT_VERSION))
        printf("%s %s\n", a->command->program, ASSAY_VERSION_STRING);
    else if (args_has(a, OPT_MAN))
        assay_help_man(a->command->program);
    else if (args_has(a, OPT_MARKDOWN))
        assay_help_markdown();
    else if (args_has(a, OPT_COMPLETION))
        assay_help_completion();
    else
        return -1;
    return assay_report_finish(a, ASSAY_EXIT_OK);
}

static int check_complete(const assay_args *a)
{
    size_t wanted = count_required(a->command->operands);
    /* A plan makes no proof. */
    const assay_opt_id optional = args_has(a, OPT_PLAN) ? OPT_PROOF_OUT : OPT_COUNT;
    for (unsigned i = 0; i < OPT_COUNT; i++)
        if (i != optional && assay_command_needs(a->command, (assay_opt_id)i) && !a->value[i])
            return usage(a, "missing option", assay_options[i].name);
    if (a->n_operands < wanted) return usage(a, "missing arguments, wanted", a->command->operands);
    return -1;
}

int assay_args_parse(assay_args *a, const assay_command *command, int argc, char **argv, int first)
{
    size_t wanted = count_words(command->operands);
    bool ended = false;
    int code = -1;
    memset(a, 0, sizeof *a);
    a->command = command;
    for (int at = first; at < argc && code < 0; at++) {
        const char *arg = argv[at];
        if (!ended && strcmp(arg, "--") == 0)
            ended = true;
        else if (!ended && arg[0] == '-' && arg[1])
            code = one_option(a, argc, argv, &at);
        else if (a->n_operands < wanted)
            a->operand[a->n_operands++] = arg;
        else
            code = usage(a, "too many arguments", arg);
    }
    if (code < 0) code = answer_help(a);
    return code < 0 ? check_complete(a) : code;
}

bool assay_args_real(const assay_args *a, assay_opt_id id, double low, double high, double *out)
{
    const char *text = a->value[id];
    char *end = NULL;
    if (!text) return true;
    double v = strtod(text, &end);
    if (text[0] >= '0' && text[0] <= '9' && *end == 0 && v >= low && v <= high) {
        *out = v;
        return true;
    }
    (void)usage(a, "value is not a number in the range allowed", assay_options[id].name);
    return false;
}

bool assay_args_size(const assay_args *a, assay_opt_id id, uint64_t *out)
{
    static const char units[] = "KMGT";
    const char *text = a->value[id];
    char *end = NULL;
    if (!text) return true;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (text[0] >= '0' && text[0] <= '9' && errno == 0 && v > 0 && v <= UINT64_MAX >> shift &&
        (unit ? end[1] == 0 : *end == 0)) {
        *out = (uint64_t)v << shift;
        return true;
    }
    (void)usage(a, "value is not a size such as 512M or 8G", assay_options[id].name);
    return false;
}

bool assay_args_word(const assay_args *a, assay_opt_id id, const char *const *words, size_t n, size_t *out)
{
    const char *text = a->value[id];
    if (!text) return true;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(text, words[i]) != 0) continue;
        *out = i;
        return true;
    }
    (void)usage(a, "value is none of those allowed", assay_options[id].name);
    return false;
}

bool assay_args_number(const assay_args *a, assay_opt_id id, uint64_t low, uint64_t high, uint64_t *out)
{
    const char *text = a->value[id];
    char *end = NULL;
    if (!text) return true;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    if (text[0] >= '0' && text[0] <= '9' && *end == 0 && errno == 0 && v >= low && v <= high) {
        *out = v;
        return true;
    }
    (void)usage(a, "value is not a number in the range allowed", assay_options[id].name);
    return false;
}
