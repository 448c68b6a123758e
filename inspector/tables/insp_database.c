/* The temporary file, and running SQL. insp_database_rows.c writes the tables of values.
 *
 * Nobody else opens the database before it is complete, so it is written without a journal and
 * without waiting for the disk. To sort an index, SQLite may use unnamed temporary files. */
#define _XOPEN_SOURCE 700
#include "insp_database.h"

#include "insp_memory.h"
#include "utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the temporary file ---- */

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { SIGNALS = sizeof signals / sizeof *signals };

/* Changed only while these signals are blocked. */
static const char *removed_by_signal;
static struct sigaction actions_before[SIGNALS];

/* Calls only functions that are safe in a signal handler. */
static void remove_and_exit(int number)
{
    if (removed_by_signal)
        unlink(removed_by_signal);
    signal(number, SIG_DFL);
    raise(number);
}

static void block_signals(sigset_t *ret_before)
{
    sigset_t blocked;
    size_t i;
    sigemptyset(&blocked);
    for (i = 0; i < SIGNALS; i++)
        sigaddset(&blocked, signals[i]);
    sigprocmask(SIG_BLOCK, &blocked, ret_before);
}

/* Makes signals remove the file. An ignored signal stays ignored. */
static void guard(const char *path)
{
    struct sigaction action = {.sa_handler = remove_and_exit};
    size_t i;
    removed_by_signal = path;
    for (i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &actions_before[i]);
        if (actions_before[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

static void unguard(void)
{
    size_t i;
    if (!removed_by_signal)
        return;
    for (i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &actions_before[i], NULL);
    removed_by_signal = NULL;
}

/* Makes PATH.XXXXXX, with the mode of an ordinary file. */
static bool make_temporary(insp_database *database)
{
    size_t size = strlen(database->path) + 8;
    mode_t mask = umask(0);
    sigset_t before;
    int file;
    umask(mask);
    database->temporary = insp_alloc(size, 1);
    database->failed = !database->temporary;
    if (database->failed)
        return false;
    snprintf(database->temporary, size, "%s.XXXXXX", database->path);
    block_signals(&before);
    file = mkstemp(database->temporary);
    database->system_error = file < 0 ? errno : 0;
    if (file >= 0) {
        guard(database->temporary);
        if (fchmod(file, 0666 & ~mask) != 0 || close(file) != 0)
            database->system_error = errno;
    } else {
        insp_free(database->temporary);
        database->temporary = NULL;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return !database->system_error;
}

/* The journal of another database would be applied to the new one. */
static bool has_journal(const insp_database *database)
{
    static const char *const suffixes[] = {"-journal", "-wal"};
    struct stat facts;
    char path[PATH_MAX];
    size_t i;
    for (i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        snprintf(path, sizeof path, "%s%s", database->path, suffixes[i]);
        if (lstat(path, &facts) == 0)
            return true;
    }
    return false;
}

static const char exists[] = "the file exists; use --force to replace it";

/* Whether --force may replace what has this name: an SQLite database or an empty file. */
static bool is_replaceable(insp_database *database)
{
    static const char magic[] = "SQLite format 3"; /* with the NUL */
    char begin[sizeof magic];
    struct stat facts;
    int file = open(database->path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    ssize_t size = -1;
    if (file < 0) {
        database->system_error = errno;
        return false;
    }
    if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode))
        size = read(file, begin, sizeof begin);
    close(file);
    if (size != 0 && (size < (ssize_t)sizeof begin || memcmp(begin, magic, sizeof magic) != 0))
        database->taken = "--force replaces only SQLite databases and empty files";
    return !database->taken;
}

/* Whether the database can get its name. */
static bool check_place(insp_database *database, bool replaces)
{
    struct stat facts;
    if (lstat(database->path, &facts) == 0 && !replaces)
        database->taken = exists;
    else if (has_journal(database))
        database->taken = "a database with this name is in use: its journal exists";
    else if (replaces && lstat(database->path, &facts) == 0)
        return is_replaceable(database);
    return !database->taken;
}

/* Some file systems, such as FAT, have no hard links. An empty file takes the name first, so that
 * no other file is replaced. */
static bool take_name(const insp_database *database)
{
    int file, error;
    if (link(database->temporary, database->path) == 0)
        return unlink(database->temporary) == 0;
    if (errno == EEXIST)
        return false;
    file = open(database->path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (file < 0)
        return false;
    close(file);
    if (rename(database->temporary, database->path) == 0)
        return true;
    error = errno;
    unlink(database->path);
    errno = error;
    return false;
}

/* Gives the temporary file its name. */
static bool name_file(insp_database *database, bool replaces)
{
    sigset_t before;
    bool is_named;
    block_signals(&before);
    is_named = replaces ? rename(database->temporary, database->path) == 0 : take_name(database);
    database->system_error = is_named ? 0 : errno;
    if (database->system_error == EEXIST)
        database->taken = exists;
    if (!database->system_error) {
        unguard();
        insp_free(database->temporary);
        database->temporary = NULL;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return !database->system_error;
}

/* ---- SQL ---- */

static bool check(insp_database *database, int error)
{
    if (error == INSP_SQLITE_NOMEM)
        database->failed = true;
    else if (error && !database->error && database->db)
        snprintf(database->message, sizeof database->message, "%s",
                 database->sqlite.message(database->db));
    if (error && !database->error)
        database->error = error;
    return error == 0;
}

bool insp_database_run(insp_database *database, const char *sql)
{
    return check(database, database->sqlite.exec(database->db, sql, NULL, NULL, NULL));
}

bool insp_database_prepare(insp_database *database, const char *sql, sqlite3_stmt **ret_statement)
{
    return check(database, database->sqlite.prepare(database->db, sql, -1, ret_statement, NULL));
}

bool insp_database_is_done(insp_database *database, int error)
{
    return check(database, error == INSP_SQLITE_DONE ? 0 : error);
}

bool insp_database_step(insp_database *database, sqlite3_stmt *statement)
{
    int error = database->sqlite.step(statement);
    database->sqlite.reset(statement);
    database->sqlite.clear(statement);
    return insp_database_is_done(database, error);
}

bool insp_database_bind(insp_database *database, sqlite3_stmt *statement, int number, int64_t value)
{
    return check(database, database->sqlite.bind_int64(statement, number, value));
}

/* SQLite copies the text, because it is used after the caller's memory may have changed. */
static insp_sqlite_release *copied(void)
{
    insp_sqlite_release *release;
    intptr_t value = -1;
    memcpy(&release, &value, sizeof release);
    return release;
}

bool insp_database_bind_text(insp_database *database, sqlite3_stmt *statement, int number,
                             insp_text text)
{
    const char *data = text.data ? text.data : "";
    int size = (int)text.length;
    if (kiln_utf8_is_valid(data, text.length))
        return check(database, database->sqlite.bind_text(statement, number, data, size, copied()));
    return insp_database_bind_bytes(database, statement, number, text);
}

bool insp_database_bind_bytes(insp_database *database, sqlite3_stmt *statement, int number,
                              insp_text bytes)
{
    const char *data = bytes.data ? bytes.data : "";
    return check(database,
                 database->sqlite.bind_blob(statement, number, data, (int)bytes.length, copied()));
}

bool insp_database_bind_number(insp_database *database, sqlite3_stmt *statement, int number,
                               double value)
{
    return check(database, database->sqlite.bind_double(statement, number, value));
}

/* ---- the database ---- */

uint32_t insp_database_columns(const insp_database *database)
{
    int columns = database->sqlite.limit(database->db, INSP_SQLITE_LIMIT_COLUMN, -1);
    int variables = database->sqlite.limit(database->db, INSP_SQLITE_LIMIT_VARIABLES, -1);
    int least = columns < variables ? columns : variables;
    return least > 0 ? (uint32_t)least : 0;
}

uint32_t insp_database_length(const insp_database *database)
{
    int bytes = database->sqlite.limit(database->db, INSP_SQLITE_LIMIT_LENGTH, -1);
    return bytes > 0 ? (uint32_t)bytes : 0;
}

bool insp_database_init(insp_database *database, const char *path, bool replaces)
{
    *database = (insp_database){.path = path};
    database->missing = insp_sqlite_load(&database->sqlite);
    if (database->missing)
        return false;
    if (!check_place(database, replaces) || !make_temporary(database))
        return false;
    if (!check(database, database->sqlite.open(database->temporary, &database->db,
                                               INSP_SQLITE_READWRITE | INSP_SQLITE_CREATE, NULL)))
        return false;
    return insp_database_run(database,
                             "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
                             "PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-65536; BEGIN");
}

static int close_database(insp_database *database)
{
    int error;
    if (!database->db)
        return 0;
    error = database->sqlite.close(database->db);
    database->db = NULL;
    return error;
}

bool insp_database_finish(insp_database *database, bool replaces)
{
    return insp_database_run(database, "COMMIT") && check(database, close_database(database)) &&
           name_file(database, replaces);
}

void insp_database_fini(insp_database *database)
{
    sigset_t before;
    close_database(database);
    block_signals(&before);
    if (database->temporary)
        unlink(database->temporary);
    unguard();
    insp_free(database->temporary);
    database->temporary = NULL;
    sigprocmask(SIG_SETMASK, &before, NULL);
    insp_sqlite_unload(&database->sqlite);
}
