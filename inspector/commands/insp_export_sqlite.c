/* `export --to sqlite`: all assets and scenes of the files as a database.
 *
 * First all tables are planned, then the assets and entities are written, and then their values, so
 * that values find the rows to which they refer. A scene is opened once for each of these. */
#include "insp_export_sqlite.h"
#include "insp_database_rows.h"
#include "insp_escape.h"
#include "insp_export_steps.h"
#include "insp_graph.h"
#include "insp_memory.h"
#include "insp_message.h"
#include "insp_open.h"
#include "insp_redirects.h"
#include "insp_scene_each.h"
#include "insp_scene_flat.h"
#include "insp_scene_row.h"
#include "insp_scene_word.h"
#include "insp_tables_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <kiln/version.h>
#include <stdio.h>

typedef struct exporter {
    insp_run *run;
    const insp_mounts *mounts;
    insp_tables tables;
    insp_database database;
    insp_database_rows into;
    insp_rows rows;
    const insp_file *file;   /* that is visited */
    const insp_asset *asset; /* whose values are read; NULL: none */
    bool *parts; /* which of its assets are parts of scenes, whose values are components */
    insp_row_sink sink;
    uint64_t left; /* steps */
    uint64_t assets;
    int result;
} exporter;

/* Called for each asset that is exported. Returns false to stop. */
typedef bool visit_asset(exporter *e, const insp_asset *asset);
typedef bool visit_scene(exporter *e, const insp_scene *scene);

static bool no_memory(exporter *e)
{
    e->result = insp_no_memory(e->run);
    return false;
}

static bool spend(exporter *e, uint64_t amount)
{
    if (e->left < amount)
        e->rows.stopped = true;
    e->left -= e->left < amount ? e->left : amount;
    return !e->rows.stopped;
}

static bool each_of_file(exporter *e, visit_asset *visit)
{
    uint32_t k;
    for (k = 0; k < e->file->asset_count; k++) {
        insp_mounted at = {e->file, insp_asset_at(e->file, k)};
        if (at.asset && insp_mounts_is_visible(e->mounts, at) && !visit(e, at.asset))
            return false;
    }
    return true;
}

static bool each_asset(exporter *e, visit_asset *visit)
{
    uint32_t i;
    bool ok = true;
    for (i = 0; i < e->mounts->count && ok; i++) {
        e->file = e->mounts->files[i];
        e->parts = insp_alloc_array(e->file->asset_count, sizeof *e->parts);
        ok = e->parts && insp_scene_find_parts(e->file, e->parts) == KILN_OK;
        ok = ok ? each_of_file(e, visit) : no_memory(e);
        insp_free(e->parts);
        e->parts = NULL;
    }
    return ok;
}

/* Opens a scene. Errors are reported only if `complains`, because each scene is opened twice. */
static bool with_scene(exporter *e, const insp_asset *asset, bool complains, visit_scene *visit)
{
    insp_scene scene;
    bool ok = insp_scene_init(&scene, e->file, asset) == KILN_OK;
    if (!ok)
        no_memory(e);
    else if (complains)
        e->result = insp_worse(e->result, insp_scene_complain(e->run, &scene));
    ok = ok && e->result != INSP_TROUBLE && visit(e, &scene);
    insp_scene_fini(&scene);
    return ok;
}

/* ---- tables ---- */

static insp_root root_of_component(const insp_file *file, const kiln_scene_component *component)
{
    insp_text name = insp_scene_text(&component->name);
    uint32_t type = file->types ? kiln_types_find(file->types, name.data) : KILN_TYPE_NONE;
    const kiln_type *of = type == KILN_TYPE_NONE ? NULL : kiln_types_get(file->types, type);
    /* As in insp_scene_row_value. */
    if (of && (of->kind != KILN_KIND_STRUCT || of->layout != component->layout ||
               of->size != component->size || of->has_pointers))
        type = KILN_TYPE_NONE;
    return (insp_root){INSP_TABLE_COMPONENTS, name, component->layout,
                       file->types,           type, component->size};
}

static bool plan_scene(exporter *e, const insp_scene *scene)
{
    const kiln_scene_component *all;
    uint32_t i;
    if (!scene->has_view)
        return true;
    all = insp_scene_list(&scene->scene->components);
    for (i = 0; i < scene->view.component_count && !e->tables.failed; i++) {
        insp_root root = root_of_component(e->file, &all[i]);
        insp_tables_root(&e->tables, &root);
    }
    return !e->tables.failed || no_memory(e);
}

/* Returns false for an asset without a type that has a table. */
static bool root_of_asset(const insp_file *file, const insp_asset *asset, insp_root *ret_root)
{
    uint32_t type = insp_asset_type(file, asset);
    const kiln_type *of = type == KILN_TYPE_NONE ? NULL : kiln_types_get(file->types, type);
    if (!of || of->kind != KILN_KIND_STRUCT || insp_builtin_type(file, asset) != KILN_TYPE_NONE)
        return false;
    *ret_root = (insp_root){
        INSP_TABLE_ASSETS, insp_asset_type_name(file, asset), of->layout, file->types, type,
        of->size};
    return true;
}

static bool plan_asset(exporter *e, const insp_asset *asset)
{
    insp_root root;
    if (insp_is_scene(e->file, asset))
        return with_scene(e, asset, false, plan_scene);
    if (!e->parts[asset->number] && root_of_asset(e->file, asset, &root))
        insp_tables_root(&e->tables, &root);
    return !e->tables.failed || no_memory(e);
}

static bool plan(exporter *e)
{
    static const char *const names[] = {"meta",        "files",       "assets",  "entities",
                                        "links",       "tables",      "columns", "entities_name",
                                        "assets_name", "links_target"};
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; i++)
        insp_tables_reserve(&e->tables, names[i]);
    if (e->tables.failed)
        return no_memory(e);
    return each_asset(e, plan_asset) && (insp_tables_plan(&e->tables) || no_memory(e));
}

/* ---- files, assets and entities ---- */

static const char first_tables[] =
    "CREATE TABLE \"meta\" (\"key\" TEXT PRIMARY KEY, \"value\");"
    "CREATE TABLE \"files\" (\"file\" INTEGER PRIMARY KEY, \"path\" TEXT, \"size\" INTEGER);"
    "CREATE TABLE \"assets\" (\"id\" INTEGER PRIMARY KEY, \"name\" TEXT, \"kind\" TEXT, "
    "\"type\" TEXT, \"file\" INTEGER REFERENCES \"files\"(\"file\"), \"size\" INTEGER, "
    "\"stored\" INTEGER, \"renamed_to\" INTEGER REFERENCES \"assets\"(\"id\"));"
    "CREATE TABLE \"entities\" (\"entity\" INTEGER PRIMARY KEY, "
    "\"scene\" INTEGER REFERENCES \"assets\"(\"id\"), \"number\" INTEGER, \"name\" TEXT);"
    "CREATE INDEX \"entities_name\" ON \"entities\" (\"scene\", \"name\");"
    "CREATE TABLE \"links\" (\"source\" INTEGER REFERENCES \"assets\"(\"id\"), "
    "\"target\" INTEGER REFERENCES \"assets\"(\"id\"), PRIMARY KEY (\"source\", \"target\")) "
    "WITHOUT ROWID";

/* Made after the rows, which is faster. */
static const char last_indexes[] = "CREATE INDEX \"assets_name\" ON \"assets\" (\"name\");"
                                   "CREATE INDEX \"links_target\" ON \"links\" (\"target\")";

static bool add_meta(exporter *e)
{
    char sql[256];
    snprintf(sql, sizeof sql,
             "INSERT INTO \"meta\" VALUES ('export', 1), ('kiln', '%s'), ('format', '%s')",
             kiln_version(), kiln_format_version());
    return insp_database_run(&e->database, sql);
}

static bool add_files(exporter *e)
{
    insp_database *database = &e->database;
    sqlite3_stmt *add = NULL;
    bool ok = insp_database_prepare(database, "INSERT INTO \"files\" VALUES (?, ?, ?)", &add);
    uint32_t i;
    for (i = 0; i < e->mounts->count && ok; i++) {
        const insp_file *file = e->mounts->files[i];
        insp_text path = {file->path, (uint32_t)strlen(file->path)};
        ok = insp_database_bind(database, add, 1, i + 1) &&
             insp_database_bind_text(database, add, 2, path) &&
             insp_database_bind(database, add, 3, (int64_t)file->size) &&
             insp_database_step(database, add);
    }
    database->sqlite.finalize(add);
    return ok;
}

static bool add_asset(exporter *e, const insp_asset *asset, int64_t number, sqlite3_stmt *add)
{
    insp_database *database = &e->database;
    const insp_member *member = insp_asset_member(e->file, asset);
    insp_text type = insp_asset_type_name(e->file, asset);
    e->assets++;
    return insp_database_bind(database, add, 1, (int64_t)asset->id) &&
           insp_database_bind_text(database, add, 2, asset->name) &&
           insp_database_bind_text(database, add, 3, insp_kind_word(asset->name)) &&
           insp_database_bind_text(database, add, 4, type) &&
           insp_database_bind(database, add, 5, number) &&
           (!member || (insp_database_bind(database, add, 6, (int64_t)member->size) &&
                        insp_database_bind(database, add, 7, (int64_t)member->stored_size))) &&
           insp_database_step(database, add);
}

static bool add_assets(exporter *e)
{
    sqlite3_stmt *add = NULL;
    uint32_t i, k;
    bool ok = insp_database_prepare(
        &e->database, "INSERT OR IGNORE INTO \"assets\" VALUES (?, ?, ?, ?, ?, ?, ?, NULL)", &add);
    for (i = 0; i < e->mounts->count && ok; i++) {
        e->file = e->mounts->files[i];
        for (k = 0; k < e->file->asset_count && ok; k++) {
            insp_mounted at = {e->file, insp_asset_at(e->file, k)};
            if (at.asset && insp_mounts_is_visible(e->mounts, at))
                ok = add_asset(e, at.asset, i + 1, add);
        }
    }
    e->database.sqlite.finalize(add);
    return ok;
}

/* Adds the names of assets that no file contains. */
static bool add_imports(exporter *e)
{
    insp_database *database = &e->database;
    sqlite3_stmt *add = NULL;
    uint32_t i, k;
    bool ok = insp_database_prepare(
        database, "INSERT OR IGNORE INTO \"assets\" (\"id\", \"name\", \"kind\") VALUES (?, ?, ?)",
        &add);
    for (i = 0; i < e->mounts->count && ok; i++)
        for (k = 0; k < e->mounts->files[i]->import_count && ok; k++) {
            const insp_name *name = insp_import_at(e->mounts->files[i], k);
            ok = insp_database_bind(database, add, 1, (int64_t)name->id) &&
                 insp_database_bind_text(database, add, 2, name->name) &&
                 insp_database_bind_text(database, add, 3, insp_kind_word(name->name)) &&
                 insp_database_step(database, add);
        }
    database->sqlite.finalize(add);
    return ok;
}

/* Adds the earlier names of assets, and where they lead. */
static bool add_redirects(exporter *e)
{
    insp_database *database = &e->database;
    sqlite3_stmt *add = NULL;
    uint32_t i, k;
    bool ok = insp_database_prepare(
        database,
        "INSERT INTO \"assets\" (\"id\", \"name\", \"kind\", \"renamed_to\") VALUES (?, ?, ?, ?) "
        "ON CONFLICT (\"id\") DO UPDATE SET \"renamed_to\" = \"excluded\".\"renamed_to\" "
        "WHERE \"file\" IS NULL",
        &add);
    for (i = 0; i < e->mounts->count && ok; i++) {
        const kiln_redirects *redirects = e->mounts->files[i]->redirects;
        for (k = 0; redirects && k < redirects->entries.count && ok; k++) {
            insp_text name = insp_redirect_name(kiln_redirects_at(redirects, k));
            uint64_t id = kiln_asset_id(name.data, name.length);
            insp_mounted to = insp_mounts_target(e->mounts, id);
            ok = insp_database_bind(database, add, 1, (int64_t)id) &&
                 insp_database_bind_text(database, add, 2, name) &&
                 insp_database_bind_text(database, add, 3, insp_kind_word(name)) &&
                 (!to.asset || insp_database_bind(database, add, 4, (int64_t)to.asset->id)) &&
                 insp_database_step(database, add);
        }
    }
    database->sqlite.finalize(add);
    return ok;
}

/* Adds each pair of an asset and one to which it refers. */
static bool add_edges(exporter *e, const insp_graph *graph)
{
    insp_database *database = &e->database;
    sqlite3_stmt *add = NULL;
    uint32_t i, k;
    bool ok =
        insp_database_prepare(database, "INSERT OR IGNORE INTO \"links\" VALUES (?, ?)", &add);
    for (i = 0; i < graph->count && ok; i++)
        for (k = graph->starts[i]; k < graph->starts[i + 1] && ok; k++) {
            uint64_t from = graph->nodes[i].id, to = graph->nodes[graph->targets[k]].id;
            ok = insp_database_rows_add_asset(&e->into, from) &&
                 insp_database_rows_add_asset(&e->into, to) &&
                 insp_database_bind(database, add, 1, (int64_t)from) &&
                 insp_database_bind(database, add, 2, (int64_t)to) &&
                 insp_database_step(database, add);
        }
    database->sqlite.finalize(add);
    return ok;
}

static bool add_links(exporter *e)
{
    insp_links links = {.run = NULL};
    insp_graph graph = {.nodes = NULL};
    int result = insp_links_init(&links, e->run, e->mounts);
    bool ok = result == INSP_OK;
    if (ok) {
        result = insp_graph_init(&graph, &links);
        ok = result == INSP_OK && add_edges(e, &graph);
        insp_graph_fini(&graph);
    }
    if (links.run)
        insp_links_fini(&links);
    e->result = insp_worse(e->result, result);
    return ok;
}

static bool add_entities(exporter *e, const insp_scene *scene)
{
    uint64_t id = scene->parts[INSP_SCENE_ROOT].asset->id;
    uint32_t i;
    bool ok = true;
    for (i = 0; scene->has_view && i < scene->view.entities && ok; i++)
        ok = spend(e, 1) &&
             insp_database_rows_add_entity(&e->into, id, i, insp_scene_name(scene, i));
    return ok;
}

static bool add_scene_entities(exporter *e, const insp_asset *asset)
{
    return !insp_is_scene(e->file, asset) || with_scene(e, asset, false, add_entities);
}

static bool add_first(exporter *e)
{
    return insp_database_run(&e->database, first_tables) &&
           insp_database_rows_init(&e->into, &e->database) && add_meta(e) && add_files(e) &&
           add_assets(e) && add_imports(e) && add_redirects(e) && add_links(e) &&
           each_asset(e, add_scene_entities);
}

/* ---- values ---- */

static void read_component(exporter *e, const insp_scene_row *at, uint32_t column)
{
    const kiln_scene_component *component = insp_scene_row_component(at, column);
    const unsigned char *row = insp_scene_row_bytes(at, column);
    const insp_words words = {insp_print_row_word, at->scene, component, NULL};
    insp_root root = root_of_component(e->file, component);
    uint32_t number = insp_tables_find(&e->tables, &root);
    insp_text bytes = {(const char *)row, row ? component->size : 0};
    kiln_value value;
    bool has_value = row && insp_scene_row_value(at, column, &value);
    if (number == INSP_NUMBER_NONE)
        return;
    e->rows.words = &words;
    insp_rows_read(&e->rows, number, e->into.scene_first + at->entity, has_value ? &value : NULL,
                   bytes);
    e->rows.words = NULL;
}

static bool read_scene(exporter *e, const insp_scene *scene)
{
    uint32_t i, k;
    for (i = 0; scene->has_rows && i < scene->view.entities && !e->rows.stopped; i++) {
        insp_scene_row at = insp_scene_locate(scene, i);
        for (k = 0; k < at.of->component_count && !e->rows.stopped; k++)
            read_component(e, &at, k);
    }
    if (scene->has_view)
        e->into.scene_first += scene->view.entities;
    if (scene->has_view && !scene->has_rows) {
        insp_text name = insp_message_name(scene->parts[INSP_SCENE_ROOT].asset->name);
        insp_complain(e->run, e->file->path, "%.*s: the rows of its entities are not in the file",
                      (int)name.length, name.data);
        e->result = insp_worse(e->result, INSP_BAD);
    }
    return !e->rows.stopped && !e->rows.failed;
}

static bool read_asset(exporter *e, const insp_asset *asset)
{
    const insp_member *member = insp_asset_member(e->file, asset);
    insp_text none = {NULL, 0};
    insp_root root;
    kiln_value value;
    uint32_t number;
    int result;
    e->rows.file = e->file;
    e->asset = asset;
    if (insp_is_scene(e->file, asset))
        return with_scene(e, asset, true, read_scene);
    if (insp_builtin_type(e->file, asset) != KILN_TYPE_NONE || e->parts[asset->number])
        return true;
    /* Assets may share bytes, which are checked again. */
    if (member && insp_member_asset(e->file, asset->member) != asset) {
        e->rows.stopped = e->rows.left < member->size;
        e->rows.left -= e->rows.stopped ? 0 : member->size;
    }
    result = insp_open_asset(e->run, e->file, asset, &value);
    e->result = insp_worse(e->result, result);
    if (result == INSP_TROUBLE || e->rows.stopped)
        return false;
    if (!value.of || !root_of_asset(e->file, asset, &root))
        return true;
    number = insp_tables_find(&e->tables, &root);
    if (number != INSP_NUMBER_NONE)
        insp_rows_read(&e->rows, number, asset->id, &value, none);
    return !e->rows.stopped && !e->rows.failed;
}

static bool add_values(exporter *e)
{
    bool ok;
    if (!insp_rows_init(&e->rows, &e->tables, &e->sink))
        return no_memory(e);
    e->rows.left = e->left;
    e->into.scene_first = 1;
    ok = each_asset(e, read_asset);
    e->database.failed = e->database.failed || e->rows.failed;
    return ok;
}

/* ---- the command ---- */

/* Names the value, or the asset of a row that is too large with all its values. */
static void complain_length(exporter *e)
{
    const insp_column *column = e->into.too_long;
    insp_text name = {"", 0};
    if (e->asset)
        name = insp_message_name(e->asset->name);
    insp_complain(e->run, e->database.path,
                  "cannot be written: %.*s%s%s is too large for SQLite, whose limit is %" PRIu32
                  " bytes",
                  (int)name.length, name.data, e->asset ? ": " : "",
                  column ? insp_tables_text(&e->tables, column->path) : "a row",
                  insp_database_length(&e->database));
}

static void complain_failure(exporter *e)
{
    insp_database *database = &e->database;
    insp_run *run = e->run;
    if (e->result == INSP_TROUBLE)
        return;
    e->result = INSP_TROUBLE;
    if (database->failed) {
        insp_no_memory(run);
    } else if (database->missing) {
        insp_complain(run, NULL,
                      "export --to sqlite needs SQLite, which cannot be loaded: %s; install "
                      "libsqlite3 (Debian: libsqlite3-0)",
                      database->missing);
    } else if (database->taken) {
        insp_complain(run, database->path, "%s", database->taken);
    } else if (database->system_error) {
        insp_complain(run, database->path, "cannot be written: %s",
                      strerror(database->system_error));
    } else if (e->into.too_long || database->error == INSP_SQLITE_TOOBIG) {
        complain_length(e);
    } else if (database->error) {
        insp_complain(run, database->path, "cannot be written: %s",
                      database->message[0] ? database->message : "SQLite failed");
    } else {
        e->result = INSP_BAD;
        insp_complain(run, run->path,
                      "the files describe more values than the limit allows, so nothing was "
                      "written; use --max-bytes SIZE for a higher one");
    }
}

static void complain_values(exporter *e)
{
    if (e->rows.broken)
        insp_complain(e->run, NULL, "%" PRIu64 " broken value%s left out; see kiln-inspect verify",
                      e->rows.broken, e->rows.broken == 1 ? " was" : "s were");
    if (e->rows.missing)
        insp_complain(e->run, NULL,
                      "%" PRIu64 " value%s left out, because the data of scenes are not in the "
                      "file",
                      e->rows.missing, e->rows.missing == 1 ? " was" : "s were");
    if (e->rows.broken || e->rows.missing)
        e->result = insp_worse(e->result, INSP_BAD);
}

static void put_summary(exporter *e)
{
    insp_out *out = &e->run->out;
    insp_put_escaped(out, e->database.path, strlen(e->database.path));
    insp_put(out, ": ");
    insp_put_count(out, e->assets, 0);
    insp_put(out, e->assets == 1 ? " asset, " : " assets, ");
    insp_put_count(out, e->into.entity_count, 0);
    insp_put(out, e->into.entity_count == 1 ? " entity, " : " entities, ");
    insp_put_count(out, e->tables.table_count, 0);
    insp_put(out, e->tables.table_count == 1 ? " table of values\n" : " tables of values\n");
}

int insp_export_sqlite(insp_run *run, const insp_mounts *mounts)
{
    exporter e = {.run = run, .mounts = mounts, .left = insp_export_steps(run)};
    bool replaces = run->options.force, ok;
    int result;
    e.sink = insp_database_rows_sink;
    e.sink.ctx = &e.into;
    ok = insp_database_init(&e.database, run->command_data, replaces) && plan(&e) &&
         add_first(&e) && insp_database_rows_create(&e.into, &e.tables) && add_values(&e) &&
         insp_database_run(&e.database, last_indexes) && insp_database_rows_index(&e.into);
    insp_database_rows_fini(&e.into);
    ok = ok && insp_database_finish(&e.database, replaces);
    if (ok) {
        complain_values(&e);
        put_summary(&e);
    } else {
        complain_failure(&e);
    }
    result = e.result;
    insp_rows_fini(&e.rows);
    insp_database_fini(&e.database);
    insp_tables_fini(&e.tables);
    return result;
}
