/* meson.build lists the names of the commands and makes INSP_COMMAND_NAMES from them. So a new
 * command needs its file and a name in that list, and no change here. */
#include "insp_commands.h"

#define ROW(name) &insp_##name##_command,
const insp_command *const insp_commands[] = {INSP_COMMAND_NAMES(ROW)};
const int insp_command_count = sizeof insp_commands / sizeof insp_commands[0];
