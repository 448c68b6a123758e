/* The tables of values in a database, and their rows. */
#ifndef INSP_DATABASE_ROWS_H
#define INSP_DATABASE_ROWS_H

#include "insp_database.h"
#include "insp_rows.h"

/* Inserts the columns of a table, in groups of `columns_max`; NULL: not prepared. A table with more
 * columns than SQLite allows is divided into several. */
typedef struct insp_inserts {
    sqlite3_stmt **groups;
    uint32_t *names; /* of the tables; texts */
    uint32_t count;
    bool is_used;
} insp_inserts;

enum { INSP_RECENT = 4096 };

typedef struct insp_database_rows {
    insp_database *database; /* has the first failure */
    insp_tables *tables;
    insp_inserts *inserts; /* by table */
    uint32_t insert_count;
    uint32_t columns_max; /* of a table, without those that begin with `_` */
    sqlite3_stmt *add_asset, *find_entity, *add_entity;
    uint64_t entity_count;        /* rows of `entities` */
    uint64_t scene_first;         /* the row of entity 0 of the current scene */
    uint64_t recent[INSP_RECENT]; /* ids that are in `assets` */
    const insp_column *too_long;  /* of the value that SQLite cannot store; NULL: none */
} insp_database_rows;

/* Prepares for adding assets and entities to the tables `assets` and `entities`, which the caller
 * has created. All functions return false after a failure. Call insp_database_rows_fini in all
 * cases, before the database is finished. */
bool insp_database_rows_init(insp_database_rows *rows, insp_database *database);
void insp_database_rows_fini(insp_database_rows *rows);

/* Creates the tables of values, which must be planned and stay valid, and lists them in the tables
 * `tables` and `columns`. */
bool insp_database_rows_create(insp_database_rows *rows, insp_tables *tables);
/* Makes child tables quick to join, also with the asset or entity to which their rows belong, after
 * all rows were written. */
bool insp_database_rows_index(insp_database_rows *rows);

/* Makes sure that the table `assets` has the id. */
bool insp_database_rows_add_asset(insp_database_rows *rows, uint64_t id);
/* Adds the next entity, in a scene with this id. `number` is negative if it is unknown. */
bool insp_database_rows_add_entity(insp_database_rows *rows, uint64_t scene, int64_t number,
                                   insp_text name);

/* Receives rows; `ctx` is the insp_database_rows. */
extern const insp_row_sink insp_database_rows_sink;

#endif
