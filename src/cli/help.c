/* SPDX-License-Identifier: Apache-2.0 */
/* Texts made from the table of options: --help, man pages, docs/cli.md, completion. */
#include "assay/version.h"
#include "cli/options.h"
#include <stdio.h>
#include <string.h>

enum { WIDTH = 78, OPTION_COLUMN = 26 };

const char *assay_command_name(const assay_command *c, char *out, size_t nbytes)
{
    (void)snprintf(out, nbytes, "%s%s%s", c->program, c->sub ? " " : "", c->sub ? c->sub : "");
    return out;
}

/* Whether the help of a command speaks of option i. */
static bool shown(const assay_command *c, unsigned i)
{
    return assay_options[i].help && assay_command_takes(c, (assay_opt_id)i);
}

/* What stands behind the help text of option i. */
static const char *often(const assay_command *c, unsigned i)
{
    return assay_command_repeats(c, (assay_opt_id)i) ? " (may be repeated)" : "";
}

/* "-o, --out DIR" or "-id HEX". */
static void spell(const assay_opt *o, char *out, size_t nbytes)
{
    char letter[8] = "";
    if (o->letter) (void)snprintf(letter, sizeof letter, "-%c, ", o->letter);
    (void)snprintf(out, nbytes, "%s%s%s%s%s", letter, o->dash ? "-" : "--", o->name, o->arg ? " " : "",
                   o->arg ? o->arg : "");
}

/* Words of text, broken before WIDTH; every line after the first is indented. at: the column where it starts. */
static void wrap(const char *text, int at, int indent)
{
    int gap = 0; /* blanks owed before the next word */
    while (*text) {
        size_t n = strcspn(text, " \n");
        if (at + gap + (int)n > WIDTH && at > indent) {
            printf("\n%*s", indent, "");
            at = indent;
            gap = 0;
        }
        printf("%*s%.*s", gap, "", (int)n, text);
        at += gap + (int)n;
        text += n;
        gap = *text == ' ';
        if (*text == '\n') {
            printf("\n%*s", indent, "");
            at = indent;
        }
        if (*text) text++;
    }
    printf("\n");
}

static void synopsis(const assay_command *c, const char *bold, const char *plain)
{
    char name[64], option[64];
    printf("%s%s%s", bold, assay_command_name(c, name, sizeof name), plain);
    if (c->operands[0]) printf(" %s", c->operands);
    for (unsigned i = 0; i < OPT_COUNT; i++) {
        const assay_opt *o = &assay_options[i];
        (void)snprintf(option, sizeof option, " %s%s%s%s", o->dash ? "-" : "--", o->name, o->arg ? " " : "",
                       o->arg ? o->arg : "");
        if (assay_command_needs(c, (assay_opt_id)i)) printf("%s", option);
    }
    printf(" [OPTION...]\n");
}

void assay_help_print(const assay_command *c)
{
    char option[64], name[64];
    printf("%s: %s\n\nUsage: ", assay_command_name(c, name, sizeof name), c->summary);
    synopsis(c, "", "");
    printf("\n");
    wrap(c->description, 0, 0);
    printf("\nOptions:\n");
    for (unsigned i = 0; i < OPT_COUNT; i++) {
        if (!shown(c, i)) continue;
        spell(&assay_options[i], option, sizeof option);
        char text[400];
        printf("  %-*s ", OPTION_COLUMN, option);
        (void)snprintf(text, sizeof text, "%s%s", assay_options[i].help, often(c, i));
        int at = (int)strlen(option) > OPTION_COLUMN ? (int)strlen(option) + 3 : OPTION_COLUMN + 3;
        wrap(text, at, OPTION_COLUMN + 3);
    }
    printf("\nExample:\n    %s\n\nExit codes:\n", c->example);
    for (const assay_exit_code *e = assay_exit_codes; e->meaning; e++) {
        printf("  %-4d ", e->code);
        wrap(e->meaning, 7, 7);
    }
}

void assay_help_overview(const char *program)
{
    const assay_program *p = assay_program_find(program);
    printf("%s %s: %s\n\nUsage: %s COMMAND [OPTION...]\n\nCommands:\n", program, ASSAY_VERSION_STRING, p->does,
           program);
    for (size_t i = 0; i < assay_n_commands; i++) {
        const assay_command *c = &assay_commands[i];
        if (c->sub && !assay_command_group_of(c) && strcmp(c->program, program) == 0)
            printf("  %-10s %s\n", c->sub, c->summary);
    }
    for (size_t i = 0; i < assay_n_command_groups; i++)
        if (strcmp(assay_command_groups[i].program, program) == 0)
            printf("  %-10s %s\n", assay_command_groups[i].name, assay_command_groups[i].summary);
    printf("\nPrograms beside it:\n");
    for (size_t i = 0; i < assay_n_commands; i++)
        if (!assay_commands[i].sub) printf("  %-10s %s\n", assay_commands[i].program, assay_commands[i].summary);
    for (const assay_program *other = assay_programs_with_commands; other->name; other++)
        if (other != p) printf("  %-10s %s\n", other->name, other->does);
    printf("\n%s COMMAND --help says more about one.\n\nExample:\n    %s\n", program, p->example);
}

void assay_help_group(const assay_command_group *group)
{
    char name[64];
    printf("%s %s: %s\n\nUsage: %s %s COMMAND [OPTION...]\n\nCommands:\n", group->program, group->name, group->summary,
           group->program, group->name);
    for (size_t i = 0; i < assay_n_commands; i++)
        if (assay_command_group_of(&assay_commands[i]) == group)
            printf("  %-30s %s\n", assay_command_name(&assay_commands[i], name, sizeof name),
                   assay_commands[i].summary);
    printf("\n%s %s COMMAND --help says more about one.\n", group->program, group->name);
}

/* ---- man pages */

/* roff's special characters. */
static void roff(const char *text)
{
    for (; *text; text++) {
        if (*text == '\\')
            printf("\\\\");
        else if (*text == '-')
            printf("\\-");
        else if (*text == '\n')
            printf("\n.PP\n");
        else if (*text == '\'' || *text == '.')
            printf("\\&%c", *text);
        else
            printf("%c", *text);
    }
}

static void man_options(const assay_command *c)
{
    char option[64];
    for (unsigned i = 0; i < OPT_COUNT; i++) {
        if (!shown(c, i)) continue;
        spell(&assay_options[i], option, sizeof option);
        printf(".TP\n.B ");
        roff(option);
        printf("\n");
        roff(assay_options[i].help);
        roff(often(c, i));
        printf("\n");
    }
}

static void man_command(const assay_command *c)
{
    printf(".PP\n");
    roff(c->description);
    printf("\n");
    man_options(c);
    printf(".PP\nExample:\n.PP\n.nf\n.RS\n");
    roff(c->example);
    printf("\n.RE\n.fi\n");
}

/* Program number i of the tables, each once: those with subcommands first. */
static const char *program_at(size_t i)
{
    for (const assay_program *p = assay_programs_with_commands; p->name; p++)
        if (i-- == 0) return p->name;
    i++;
    for (size_t k = 0; k < assay_n_commands; k++)
        if (!assay_commands[k].sub && --i == 0) return assay_commands[k].program;
    return NULL;
}

void assay_help_man(const char *program)
{
    const char *other;
    const assay_command *own = assay_command_find(program, NULL);
    printf(".\\\" SPDX-License-"
           "Identifier: Apache-2.0\n.\\\" Made from the table of options; do not edit.\n");
    printf(".TH %s 1 \"\" \"Assay %s\"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n", program, ASSAY_VERSION_STRING, program,
           own ? own->summary : assay_program_find(program)->does);
    for (size_t i = 0; i < assay_n_commands; i++) {
        if (strcmp(assay_commands[i].program, program) != 0) continue;
        synopsis(&assay_commands[i], "\\fB", "\\fR");
        printf(".br\n");
    }
    if (own) {
        printf(".SH DESCRIPTION\n");
        man_command(own);
    } else {
        for (size_t i = 0; i < assay_n_commands; i++) {
            if (strcmp(assay_commands[i].program, program) != 0) continue;
            printf(".SH %s %s\n", program, assay_commands[i].sub);
            man_command(&assay_commands[i]);
        }
    }
    printf(".SH EXIT STATUS\n");
    for (const assay_exit_code *e = assay_exit_codes; e->meaning; e++) {
        printf(".TP\n%d\n", e->code);
        roff(e->meaning);
        printf("\n");
    }
    printf(".SH SEE ALSO\n");
    const char *separator = "";
    for (size_t i = 0; (other = program_at(i)) != NULL; i++) {
        if (strcmp(other, program) == 0) continue;
        printf("%s%s(1)", separator, other);
        separator = ", ";
    }
    printf("\n");
}

/* ---- docs/cli.md */

/* text with one character replaced. */
static void escaped(const char *text, char from, const char *to)
{
    for (; *text; text++) {
        if (*text == from)
            printf("%s", to);
        else
            putchar(*text);
    }
}

void assay_help_markdown(void)
{
    char name[64], option[64];
    printf("<!-- SPDX-License-"
           "Identifier: Apache-2.0 -->\n<!-- Made by scripts/make-cli-docs.sh; do not edit. -->\n"
           "# The programs\n\nOptions may stand anywhere on a command line; `--name VALUE` and `--name=VALUE` are the "
           "same; `--` ends the options.\nErrors are one line on standard error: program, file or field, reason. "
           "Progress is shown on a terminal only.\n\n## Exit codes\n\n| code | meaning |\n|---|---|\n");
    for (const assay_exit_code *e = assay_exit_codes; e->meaning; e++) printf("| %d | %s |\n", e->code, e->meaning);
    printf("\n## What is written\n\nA file or a folder appears whole under its name or not at all; until then it is "
           "called "
           "NAME.tmp and six characters. Names that stand for anything but a regular file (a link, a pipe, a device, a "
           "folder) are not written to. That an output can be written is asked before the work.\n\nA process that was "
           "killed (SIGKILL, loss of power) cannot remove its NAME.tmp: delete it when no program runs. One of a "
           "commitment's folder may hold its secrets. Those of a commitment's counter are removed by the next prover. "
           "`cp_commit --force` makes NAME.new, moves NAME to NAME.old, and NAME.new to NAME; killed in between, it "
           "leaves "
           "these whole folders: keep the one that you want under NAME. It refuses while NAME.new or NAME.old is "
           "there.\n");
    for (size_t k = 0; k < assay_n_commands; k++) {
        const assay_command *c = &assay_commands[k];
        printf("\n## %s\n\n    ", assay_command_name(c, name, sizeof name));
        synopsis(c, "", "");
        printf("\n**%s.** ", c->summary);
        escaped(c->description, '\n', "\n\n");
        printf("\n\n| option | |\n|---|---|\n");
        for (unsigned i = 0; i < OPT_COUNT; i++) {
            if (!shown(c, i)) continue;
            spell(&assay_options[i], option, sizeof option);
            printf("| `");
            escaped(option, '|', "\\|");
            printf("` | %s%s%s |\n", assay_options[i].help, often(c, i),
                   assay_command_needs(c, (assay_opt_id)i) ? " **(required)**" : "");
        }
        printf("\n    %s\n", c->example);
    }
}

/* ---- completion of bash */

static void complete_case(const assay_command *c)
{
    char name[64];
    printf("    '%s') words='", assay_command_name(c, name, sizeof name));
    for (unsigned i = 0; i < OPT_COUNT; i++)
        if (shown(c, i)) printf("%s%s ", assay_options[i].dash ? "-" : "--", assay_options[i].name);
    printf("' ;;\n");
}

static void complete_group(const assay_command_group *group)
{
    printf("    '%s %s') names=yes words='", group->program, group->name);
    for (size_t i = 0; i < assay_n_commands; i++)
        if (assay_command_group_of(&assay_commands[i]) == group)
            printf("%s ", assay_commands[i].sub + strlen(group->name) + 1);
    printf("' ;;\n");
}

/* The subcommands and groups of a program. */
static void complete_program(const char *program)
{
    printf("    %s) names=yes words='", program);
    for (size_t i = 0; i < assay_n_commands; i++)
        if (assay_commands[i].sub && !assay_command_group_of(&assay_commands[i]) &&
            strcmp(assay_commands[i].program, program) == 0)
            printf("%s ", assay_commands[i].sub);
    for (size_t i = 0; i < assay_n_command_groups; i++)
        if (strcmp(assay_command_groups[i].program, program) == 0) printf("%s ", assay_command_groups[i].name);
    printf("' ;;\n");
}

void assay_help_completion(void)
{
    printf("# SPDX-License-"
           "Identifier: Apache-2.0\n# Made by scripts/make-cli-docs.sh; do not edit.\n_assay() {\n"
           "    local words='' names='' command=${COMP_WORDS[0]##*/} current=${COMP_WORDS[COMP_CWORD]}\n"
           "    case $command in\n");
    for (const assay_program *p = assay_programs_with_commands; p->name; p++)
        printf("    %s) [ \"$COMP_CWORD\" -gt 1 ] && command=\"%s ${COMP_WORDS[1]}\" ;;\n", p->name, p->name);
    printf("    esac\n    case $command in\n");
    for (size_t i = 0; i < assay_n_command_groups; i++)
        printf("    '%s %s') [ \"$COMP_CWORD\" -gt 2 ] && command=\"$command ${COMP_WORDS[2]}\" ;;\n",
               assay_command_groups[i].program, assay_command_groups[i].name);
    printf("    esac\n    case $command in\n");
    for (const assay_program *p = assay_programs_with_commands; p->name; p++) complete_program(p->name);
    for (size_t i = 0; i < assay_n_command_groups; i++) complete_group(&assay_command_groups[i]);
    for (size_t i = 0; i < assay_n_commands; i++) complete_case(&assay_commands[i]);
    printf(
        "    esac\n    case $current in\n    -*) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\") ;;\n"
        "    *) if [ \"$names\" ]; then\n"
        "           mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
        "       else\n           mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n       fi ;;\n    esac\n}\n"
        "complete -o filenames -F _assay");
    const char *program;
    for (size_t i = 0; (program = program_at(i)) != NULL; i++) printf(" %s", program);
    printf("\n");
}
