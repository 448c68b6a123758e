/* An SQLite database that is written in one transaction to a temporary file next to its place.
 *
 * Only insp_database_finish gives the file its name, so whatever fails or is interrupted earlier
 * leaves the place as it was: SIGINT, SIGTERM and SIGHUP remove the temporary file. Only one
 * database can be open at a time. */
#ifndef INSP_DATABASE_H
#define INSP_DATABASE_H

#include "insp_file.h"
#include "insp_sqlite.h"

typedef struct insp_database {
    insp_sqlite sqlite;
    sqlite3 *db;
    const char *path;
    char *temporary; /* NULL: none */
    /* The first failure. */
    int error;           /* of SQLite */
    char message[200];   /* its text */
    int system_error;    /* errno of a system call */
    const char *taken;   /* why the place cannot be used */
    const char *missing; /* why the library cannot be loaded */
    bool failed;         /* memory ran out */
} insp_database;

/* Creates an empty database for a file at `path`, which must stay valid. With `replaces`, it may
 * replace an SQLite database or an empty file, otherwise nothing. This and the functions below
 * return false after a failure, which is in one of the last members. Call insp_database_fini in all
 * cases. */
bool insp_database_init(insp_database *database, const char *path, bool replaces);
/* Removes the temporary file, unless the database was finished. */
void insp_database_fini(insp_database *database);

/* Runs statements without results. */
bool insp_database_run(insp_database *database, const char *sql);
bool insp_database_prepare(insp_database *database, const char *sql, sqlite3_stmt **ret_statement);
/* Executes a statement that returns no rows, and clears its values. */
bool insp_database_step(insp_database *database, sqlite3_stmt *statement);
/* Whether a statement that the caller executes has no more rows. */
bool insp_database_is_done(insp_database *database, int error);
/* Bind values to parameter `number`, from 1. A text that is not valid UTF-8 becomes bytes. */
bool insp_database_bind(insp_database *database, sqlite3_stmt *statement, int number,
                        int64_t value);
bool insp_database_bind_text(insp_database *database, sqlite3_stmt *statement, int number,
                             insp_text text);
bool insp_database_bind_bytes(insp_database *database, sqlite3_stmt *statement, int number,
                              insp_text bytes);
bool insp_database_bind_number(insp_database *database, sqlite3_stmt *statement, int number,
                               double value);
/* The most columns that a table and a statement can have. */
uint32_t insp_database_columns(const insp_database *database);
/* The most bytes that a text or the bytes of a value can have. */
uint32_t insp_database_length(const insp_database *database);

/* Commits, and gives the file its name. All statements must be finalized. */
bool insp_database_finish(insp_database *database, bool replaces);

#endif
