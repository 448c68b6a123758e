/* meson.build generates INSP_COMMAND_NAMES from its list of command names. So a new command needs
 * its file and an entry in that list, but no change here. */
#include "insp_commands.h"

#define ROW(name) &insp_##name##_command,
const insp_command *const insp_commands[] = {INSP_COMMAND_NAMES(ROW)};
const int insp_command_count = sizeof insp_commands / sizeof insp_commands[0];
