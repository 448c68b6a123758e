/* Names of temporary files, and what signals do to what has one. Private to gateway*.c. */
#ifndef BAKE_GATEWAY_TEMPORARY_H
#define BAKE_GATEWAY_TEMPORARY_H

#include <signal.h>
#include <stdbool.h>

enum { TOKEN_LENGTH = 12 };
#define TEMPORARY_PREFIX ".kiln-bake."
#define TEMPORARY_SUFFIX ".tmp"
/* Makes a name of the folder, the prefix, a new token and the suffix; NULL with errno ENOMEM. */
char *bake_temporary_name(const char *folder, const char *prefix);
/* Enters a name that a signal handler is to unlink; it is left with bake_temporary_forget. False
 * with errno ENOMEM. */
bool bake_temporary_remember(char *name);
/* Frees the name of a temporary file that is no more; NULL is nothing. */
void bake_temporary_forget(char *name);
/* While they are held, no signal ends the process that would have to remove temporary files. */
void bake_signals_hold(sigset_t *ret_before);
/* Keeps errno. */
void bake_signals_release(const sigset_t *before);

#endif
