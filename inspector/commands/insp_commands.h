/* The table of commands, in the order of the help. meson.build in this folder lists their names.
 * The command NAME is insp_NAME_command, defined in insp_NAME_command.c. */
#ifndef INSP_COMMANDS_H
#define INSP_COMMANDS_H

#include "insp_command.h"
#include "insp_command_names.h" /* made from meson.build: INSP_COMMAND_NAMES(X) X(info) X(ls) ... */

#define INSP_COMMAND_ROW(name) extern const insp_command insp_##name##_command;
INSP_COMMAND_NAMES(INSP_COMMAND_ROW)
#undef INSP_COMMAND_ROW

extern const insp_command *const insp_commands[];
extern const int insp_command_count;

#endif
