/* SPDX-License-Identifier: Apache-2.0 */
/* The one table of programs and options: parsing, --help, man pages, completion and docs/cli.md are made from it. */
#ifndef ASSAY_CLI_OPTIONS_H
#define ASSAY_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum assay_opt_id {
    OPT_MODEL,
    OPT_OUT,
    OPT_COMMITMENT,
    OPT_CONFIG,
    OPT_IVK,
    OPT_PROMPT,
    OPT_PROMPT_FILE,
    OPT_SYSTEM,
    OPT_USER,
    OPT_ASSISTANT,
    OPT_REPLY,
    OPT_REPLY_TOKENS,
    OPT_Y_TOKEN,
    OPT_N,
    OPT_REQ,
    OPT_Y,
    OPT_Y_OUT,
    OPT_PROOF,
    OPT_PROOF_OUT,
    OPT_ID,
    OPT_SHOWN,
    OPT_CONTEXT,
    OPT_SECURITY,
    OPT_MIN_SECURITY,
    OPT_LIFETIME,
    OPT_CALIBRATE,
    OPT_TEXT,
    OPT_IDS,
    OPT_STREAM,
    OPT_START,
    OPT_WINDOW,
    OPT_LIMIT,
    OPT_MARGIN,
    OPT_ONLY,
    OPT_FORCE,
    OPT_SKIP,
    OPT_SHARE,
    OPT_WAIT,
    OPT_SELF_CHECK,
    OPT_PLAN,
    OPT_MEMORY,
    OPT_POLICY,
    OPT_KEEP,
    OPT_KEY_OUT,
    OPT_R1CS,
    OPT_SYM,
    OPT_DEVELOPMENT,
    OPT_BELLPERSON,
    OPT_THREADS,
    OPT_ADDR,
    OPT_TLS_CA,
    OPT_TLS_CERT,
    OPT_TLS_KEY,
    OPT_TOKEN_FILE,
    OPT_CIRCUIT,
    OPT_WITNESS,
    OPT_COMMITTED,
    OPT_TYPE,
    OPT_C1,
    OPT_VANILLA,
    OPT_REGISTERED_PROOF,
    OPT_SECTOR,
    OPT_MINER,
    OPT_PARTITION,
    OPT_RANDOMNESS,
    OPT_COMM_R_OLD,
    OPT_COMM_R_NEW,
    OPT_COMM_D_NEW,
    OPT_PRIORITY,
    OPT_TIMEOUT,
    OPT_PROOF_FILE,
    OPT_PUBLIC_FILE,
    OPT_JOBS,
    OPT_CONCURRENCY,
    OPT_CSV,
    OPT_SVG,
    OPT_BESIDE,
    OPT_CONFIG_FILE,
    OPT_LISTEN,
    OPT_STATUS_LISTEN,
    OPT_QUEUE,
    OPT_CIRCUITS,
    OPT_MODELS,
    OPT_BUDGET,
    OPT_PARTITION_WORKERS,
    OPT_GPU_WORKERS,
    OPT_GPU_THREADS,
    OPT_NO_PIPELINE,
    OPT_PRELOAD,
    OPT_LOG_LEVEL,
    OPT_CHECK_CONFIG,
    OPT_PRINT_CONFIG,
    OPT_VERBOSE,
    OPT_JSON,
    OPT_QUIET,
    OPT_HELP,
    OPT_VERSION,
    OPT_MAN,        /* hidden: prints the man page */
    OPT_MARKDOWN,   /* hidden: prints docs/cli.md */
    OPT_COMPLETION, /* hidden: prints the completion of bash */
    OPT_COUNT
} assay_opt_id;

typedef struct assay_opt {
    const char *name; /* --name, and -name when it has no letter and `dash` is set */
    char letter;      /* -l; 0: none */
    bool dash;
    const char *arg; /* what its value is called; NULL: a flag */
    const char *help;
} assay_opt;

/* A program, or a subcommand of `assay`. */
typedef struct assay_command {
    const char *program, *sub; /* sub: NULL for a program of its own; two words in a group of commands */
    const char *operands;      /* their names, separated by spaces; "" for none; [X] may be left out, and is last */
    const uint8_t *required, *allowed; /* assay_opt_ids, up to OPT_COUNT */
    const char *summary;               /* one line */
    const char *description;           /* a paragraph or two */
    const char *example;               /* lines */
} assay_command;

/* A program that has subcommands. */
typedef struct assay_program {
    const char *name, *does, *example;
} assay_program;
extern const assay_program assay_programs_with_commands[];
const assay_program *assay_program_find(const char *name);

/* Commands of which the first word is the group's name. */
typedef struct assay_command_group {
    const char *program, *name, *summary;
} assay_command_group;
extern const assay_command_group assay_command_groups[];
extern const size_t assay_n_command_groups;

extern const assay_opt assay_options[OPT_COUNT];
extern const assay_command assay_commands[];
extern const size_t assay_n_commands;

/* One exit code and what it means; the last has code -1. */
typedef struct assay_exit_code {
    int code;
    const char *meaning;
} assay_exit_code;
extern const assay_exit_code assay_exit_codes[];

/* sub: NULL for a program of its own. NULL if there is no such command. */
const assay_command *assay_command_find(const char *program, const char *sub);

/* The group that a command is in, NULL for none; and by its name. */
const assay_command_group *assay_command_group_of(const assay_command *c);
const assay_command_group *assay_command_group_find(const char *program, const char *name);

/* Whether an option must be given, may be given, may be given more than once. */
bool assay_command_needs(const assay_command *c, assay_opt_id id);
bool assay_command_takes(const assay_command *c, assay_opt_id id);
bool assay_command_repeats(const assay_command *c, assay_opt_id id);

enum { ASSAY_MAX_OPERANDS = 5, ASSAY_MAX_TIMES = 64, ASSAY_MAX_AGAIN = 3 * (ASSAY_MAX_TIMES - 1) };

/* A repeated option. */
typedef struct assay_given {
    assay_opt_id id;
    const char *value;
} assay_given;

/* A parsed command line; everything is borrowed from argv. */
typedef struct assay_args {
    const assay_command *command;
    const char *value[OPT_COUNT];       /* NULL: not given; "" for a flag that was; the first, where it is repeated */
    assay_given again[ASSAY_MAX_AGAIN]; /* the others, in order */
    size_t n_again;
    const char *operand[ASSAY_MAX_OPERANDS];
    size_t n_operands;
} assay_args;

static inline bool args_has(const assay_args *a, assay_opt_id id)
{
    return a->value[id] != NULL;
}

/* How often an option was given, and its value number i. */
size_t assay_args_times(const assay_args *a, assay_opt_id id);
const char *assay_args_nth(const assay_args *a, assay_opt_id id, size_t i);

/* Reads argv[first .. argc - 1]. Options may stand anywhere; `--` ends them; --name VALUE or --name=VALUE; -l VALUE,
 * -lVALUE, -l alone for flags. Returns -1 to go on, or the exit code of the program: after --help and the like, and
 * after a message about wrong usage. */
int assay_args_parse(assay_args *a, const assay_command *command, int argc, char **argv, int first);

/* Numbers in values: false (and a message) unless text is a decimal number in [low, high]. Not given: *out is left. */
bool assay_args_number(const assay_args *a, assay_opt_id id, uint64_t low, uint64_t high, uint64_t *out);
/* The same for a number with a fraction. */
bool assay_args_real(const assay_args *a, assay_opt_id id, double low, double high, double *out);
/* Bytes, at least 1: a number, and K, M, G or T for 2^10, 2^20, 2^30 or 2^40 of them. */
bool assay_args_size(const assay_args *a, assay_opt_id id, uint64_t *out);
/* One of n words: *out is its index. */
bool assay_args_word(const assay_args *a, assay_opt_id id, const char *const *words, size_t n, size_t *out);

/* ---- help.c */
void assay_help_print(const assay_command *command);
void assay_help_overview(const char *program); /* of a program with subcommands */
void assay_help_group(const assay_command_group *group);
void assay_help_man(const char *program);
void assay_help_markdown(void);
void assay_help_completion(void);
/* "cp_prove" or "assay reply". */
const char *assay_command_name(const assay_command *command, char *out, size_t nbytes);

#endif
