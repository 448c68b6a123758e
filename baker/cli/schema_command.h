/* The commands `kiln-bake schema NAME`. Parsing, help and dispatch use one table of them. The
 * commands are in schema_command.c, schema_check_command.c and infer_command.c. */
#ifndef BAKE_SCHEMA_COMMAND_H
#define BAKE_SCHEMA_COMMAND_H

#include "bake_run.h"

/* Bits that identify the commands in the table of options (bake_options.c). */
enum {
    BAKE_SCHEMA_COMMAND_INFER = 16,
    BAKE_SCHEMA_COMMAND_CHECK = 32,
    BAKE_SCHEMA_COMMAND_JSON_SCHEMA = 64
};

typedef struct bake_schema_command {
    const char *name;      /* the word after `schema` */
    const char *arguments; /* as shown in the help */
    const char *help;
    unsigned bit;
    /* Rejects usage errors before anything is read. */
    bake_result (*check)(const bake_options *options, bake_failure *failure);
    bake_result (*run)(bake_run *run);
} bake_schema_command;

/* The table, in the order of the help text. */
const bake_schema_command *bake_schema_commands(size_t *ret_count);
/* Finds the command `name`. If there is none, fails with a message that lists the commands and
 * returns NULL. */
const bake_schema_command *bake_schema_command_find(const char *name, bake_failure *failure);

/* infer_command.c: writes a schema that bakes the inputs. */
bake_result bake_infer_check(const bake_options *options, bake_failure *failure);
bake_result bake_infer_run(bake_run *run);
/* schema_check_command.c: compares schemas, or a schema and files. */
bake_result bake_schema_check_usage(const bake_options *options, bake_failure *failure);
bake_result bake_schema_check_run(bake_run *run);
#endif
