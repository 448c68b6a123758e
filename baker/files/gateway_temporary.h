/* Names of temporary files, and their removal by signals. Private to gateway*.c. */
#ifndef BAKE_GATEWAY_TEMPORARY_H
#define BAKE_GATEWAY_TEMPORARY_H

#include <signal.h>
#include <stdbool.h>

enum { TOKEN_LENGTH = 12 };
#define TEMPORARY_PREFIX ".kiln-bake."
#define TEMPORARY_SUFFIX ".tmp"
/* Concatenates the folder, the prefix, a new token and the suffix. Returns NULL with errno
 * ENOMEM. */
char *bake_temporary_name(const char *folder, const char *prefix);
/* Registers a file that the signal handler unlinks, until bake_temporary_unregister. Returns false
 * with errno ENOMEM. */
bool bake_temporary_register(char *name);
/* Unregisters and frees the name of a temporary file that no longer exists; accepts NULL. */
void bake_temporary_unregister(char *name);
/* Blocks the signals whose handler removes temporary files. */
void bake_signals_block(sigset_t *ret_before);
/* Restores the signal mask; preserves errno. */
void bake_signals_restore(const sigset_t *before);

#endif
