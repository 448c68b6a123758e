/* The functions of SQLite that the inspector uses, from the shared library of the system.
 *
 * Only `export` needs SQLite. The library is loaded on first use, so the other commands do not load
 * it, and Kiln compiles and runs without it. The declarations are those of SQLite 3, whose
 * interface is stable. */
#ifndef INSP_SQLITE_H
#define INSP_SQLITE_H

#include <stdint.h>

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
typedef void insp_sqlite_release(void *memory);

/* Values of sqlite3.h. */
enum {
    INSP_SQLITE_OK = 0,
    INSP_SQLITE_NOMEM = 7,
    INSP_SQLITE_ROW = 100,
    INSP_SQLITE_DONE = 101,
    INSP_SQLITE_READWRITE = 2,
    INSP_SQLITE_CREATE = 4,
    INSP_SQLITE_TOOBIG = 18,
    INSP_SQLITE_LIMIT_LENGTH = 0,
    INSP_SQLITE_LIMIT_COLUMN = 2,
    INSP_SQLITE_LIMIT_VARIABLES = 9
};

typedef struct insp_sqlite {
    void *library;
    int (*open)(const char *path, sqlite3 **db, int flags, const char *vfs);
    int (*close)(sqlite3 *db);
    int (*exec)(sqlite3 *db, const char *sql, int (*callback)(void *, int, char **, char **),
                void *ctx, char **message);
    int (*prepare)(sqlite3 *db, const char *sql, int size, sqlite3_stmt **stmt, const char **tail);
    int (*step)(sqlite3_stmt *stmt);
    int (*reset)(sqlite3_stmt *stmt);
    int (*finalize)(sqlite3_stmt *stmt);
    int (*clear)(sqlite3_stmt *stmt);
    int (*bind_int64)(sqlite3_stmt *stmt, int number, int64_t value);
    int (*bind_double)(sqlite3_stmt *stmt, int number, double value);
    int (*bind_text)(sqlite3_stmt *stmt, int number, const char *text, int size,
                     insp_sqlite_release *release);
    int (*bind_blob)(sqlite3_stmt *stmt, int number, const void *data, int size,
                     insp_sqlite_release *release);
    int64_t (*column_int64)(sqlite3_stmt *stmt, int number);
    int (*changes)(sqlite3 *db);
    int (*limit)(sqlite3 *db, int which, int value);
    const char *(*message)(sqlite3 *db);
    const char *(*version)(void);
} insp_sqlite;

/* Loads the library. Returns NULL and fills `sqlite`; call insp_sqlite_unload afterwards.
 * Otherwise returns why it cannot be loaded; the text is valid until the next call. */
const char *insp_sqlite_load(insp_sqlite *sqlite);
void insp_sqlite_unload(insp_sqlite *sqlite);

#endif
