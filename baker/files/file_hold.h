/* Keeps a file in existence after another has replaced it.
 *
 * When the last name of a file goes, the system frees its blocks at once, and on some disks waits
 * until these are erased. An open file is freed only when it is closed, which another thread can
 * do. Any thread. */
#ifndef BAKE_FILE_HOLD_H
#define BAKE_FILE_HOLD_H

/* Opens the file at a path. Returns -1 if that is impossible; nothing is then held. */
int bake_file_hold(const char *path);
/* Closes the file. Accepts -1. */
void bake_file_let_go(int file);

#endif
