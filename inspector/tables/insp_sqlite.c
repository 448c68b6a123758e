#define _POSIX_C_SOURCE 200809L
#include "insp_sqlite.h"

#include <assert.h>
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* The name on Linux and the BSDs. KILN_SQLITE in the environment would let others choose the code
 * that runs, so there is none. */
static const char library_name[] = "libsqlite3.so.0";

typedef struct function {
    const char *name;
    size_t at; /* of the pointer in insp_sqlite */
} function;

#define ROW(name, member)                                                                          \
    {                                                                                              \
        "sqlite3_" name, offsetof(insp_sqlite, member)                                             \
    }
static const function functions[] = {
    ROW("open_v2", open),
    ROW("close", close),
    ROW("exec", exec),
    ROW("prepare_v2", prepare),
    ROW("step", step),
    ROW("reset", reset),
    ROW("finalize", finalize),
    ROW("clear_bindings", clear),
    ROW("bind_int64", bind_int64),
    ROW("bind_double", bind_double),
    ROW("bind_text", bind_text),
    ROW("bind_blob", bind_blob),
    ROW("column_int64", column_int64),
    ROW("changes", changes),
    ROW("limit", limit),
    ROW("errmsg", message),
    ROW("libversion", version),
};

const char *insp_sqlite_load(insp_sqlite *sqlite)
{
    size_t i;
    *sqlite = (insp_sqlite){.library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL)};
    if (!sqlite->library)
        return dlerror();
    for (i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(sqlite->library, functions[i].name);
        static_assert(sizeof found == sizeof sqlite->step, "POSIX: the pointers have one form");
        if (!found) {
            insp_sqlite_unload(sqlite);
            return functions[i].name;
        }
        memcpy((char *)sqlite + functions[i].at, &found, sizeof found);
    }
    return NULL;
}

void insp_sqlite_unload(insp_sqlite *sqlite)
{
    if (sqlite->library)
        dlclose(sqlite->library);
    sqlite->library = NULL;
}
