/* Recognizes that git is changing the files of a repository, for example during a checkout: then
 * the file `index.lock` exists. The files of such a command are one change. */
#ifndef BAKE_WATCH_GIT_H
#define BAKE_WATCH_GIT_H

#include "bake_store.h"

/* Returns the path of the lock file of the repository that contains the current folder, in new
 * memory of `store`; NULL if there is no repository or memory runs out. A repository whose `.git`
 * is a file that names another folder, as in a worktree, counts, too. */
const char *bake_watch_git_lock(bake_store *store);

#endif
