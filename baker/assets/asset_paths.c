/* Parses paths into a tree of steps. The children of a step are in a hash table, since a patch may
 * have thousands of paths below one step. */
#include "asset_paths.h"

#include "bake_table.h"
#include "utf8.h"

#include <string.h>

/* Maximum steps of a path. */
enum { STEPS_MAX = 256 };

/* A step and its parent. */
typedef struct known_step {
    bake_path *step;
    const bake_path *upper;
} known_step;

typedef struct path_reader {
    const bake_paths_def *def;
    uint32_t type; /* of the asset, with newtypes unwrapped */
    bake_path *root;
    known_step *known;
    size_t count, capacity;
    hash_table by_text;
    bake_path *steps; /* of the current path; STEPS_MAX elements */
    bool no_memory;
} path_reader;

/* A path being parsed. */
typedef struct path_text {
    bake_node_id key;
    const char *text;
    size_t length, at;
} path_text;

/* Returns the mark of a part of a scalar, or of the whole scalar if it contains escapes or line
 * breaks in the source. */
static bake_mark part_mark(const bake_tree *tree, bake_node_id key, size_t at, size_t length)
{
    size_t whole;
    const char *text = bake_node_text(tree, key, &whole);
    bake_mark mark = bake_node_mark(tree, key);
    size_t quote = bake_node_is_plain(tree, key) ? 0 : 1;
    if (mark.length != utf8_count(text, whole) + 2 * quote || memchr(text, '\n', whole))
        return mark;
    mark.column += (uint32_t)(quote + utf8_count(text, at));
    mark.length = (uint32_t)utf8_count(text + at, length);
    if (mark.length == 0)
        mark.length = 1;
    return mark;
}

bake_mark bake_path_mark(const bake_tree *tree, const bake_path *step)
{
    return part_mark(tree, step->key, step->at, step->shown);
}

static bool reject(const path_reader *r, const path_text *p, size_t at, size_t length,
                   const char *message)
{
    return bake_report(r->def->diagnostics, BAKE_ERROR, part_mark(r->def->tree, p->key, at, length),
                       "path", r->def->name, "%s", message);
}

static uint32_t hash_of_step(const hash_table *table, known_step key)
{
    uint64_t seed =
        table->seed ^ ((uintptr_t)key.upper ^ key.step->is_bracket) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)kiln_hash64(key.step->text, key.step->length, seed);
}

static bool is_step(const path_reader *r, uint32_t number, known_step key)
{
    const bake_path *other = r->known[number].step;
    return r->known[number].upper == key.upper && other->is_bracket == key.step->is_bracket &&
           other->length == key.step->length &&
           memcmp(other->text, key.step->text, other->length) == 0;
}

HASH_TABLE(steps_by_text, const path_reader *, known_step, hash_of_step, is_step)

/* Finds or adds the child of `upper` with the text of `step`. Returns NULL if memory runs out. */
static bake_path *add_step(path_reader *r, bake_path *upper, bake_path *step)
{
    known_step *known =
        bake_table_grow_rows(&r->by_text, r->known, &r->capacity, r->count, sizeof *known);
    if (!known)
        return NULL;
    r->known = known;
    hash_slot *slot = steps_by_text_slot(&r->by_text, r, (known_step){step, upper});
    if (!hash_slot_is_empty(slot))
        return r->known[hash_slot_number(slot)].step;
    bake_path *made = bake_store_alloc(r->def->store, 1, sizeof *made);
    if (!made)
        return NULL;
    *made = *step;
    made->is_whole = upper != r->root;
    if (upper->last)
        upper->last->next = made;
    else
        upper->steps = made;
    upper->last = made;
    r->known[r->count] = (known_step){made, upper};
    hash_table_put(&r->by_text, slot, (uint32_t)r->count++);
    return made;
}

/* Reads `"..."`, in which a backslash makes the next byte literal. */
static bool read_quoted(path_reader *r, path_text *p, bake_path *step)
{
    size_t start = p->at++, length = 0;
    char *text = bake_store_alloc(r->def->store, p->length - p->at + 1, 1);
    if (!text) {
        r->no_memory = true;
        return false;
    }
    for (; p->at < p->length && p->text[p->at] != '"'; p->at++) {
        p->at += p->text[p->at] == '\\' && p->at + 1 < p->length;
        text[length++] = p->text[p->at];
    }
    if (p->at == p->length)
        return reject(r, p, start, p->length - start, "unterminated quote");
    p->at++;
    step->text = text;
    step->length = (uint32_t)length;
    step->at = (uint32_t)start;
    step->shown = (uint32_t)(p->at - start);
    return true;
}

/* Reads a step without quotes, up to the byte that ends it. */
static bool read_plain(const path_reader *r, path_text *p, bake_path *step)
{
    size_t start = p->at;
    while (p->at < p->length && p->text[p->at] != ']' &&
           (step->is_bracket || (p->text[p->at] != '.' && p->text[p->at] != '[')))
        p->at++;
    step->text = p->text + start;
    step->length = step->shown = (uint32_t)(p->at - start);
    step->at = (uint32_t)start;
    return step->length > 0 ||
           reject(r, p, start, 1,
                  step->is_bracket ? "expected an index, a name or a key in brackets"
                                   : "expected a field name");
}

static bool read_step(path_reader *r, path_text *p, bake_path *step)
{
    size_t start = p->at;
    memset(step, 0, sizeof *step);
    step->key = p->key;
    step->value = BAKE_NODE_NONE;
    step->is_bracket = p->text[p->at] == '[';
    if (step->is_bracket || (start > 0 && p->text[p->at] == '.'))
        p->at++;
    bool is_quoted = p->at < p->length && p->text[p->at] == '"';
    if (is_quoted ? !read_quoted(r, p, step) : !read_plain(r, p, step))
        return false;
    if (step->is_bracket) {
        if (p->at == p->length || p->text[p->at] != ']')
            return reject(r, p, start, p->at - start, "missing closing bracket");
        p->at++;
    }
    if (p->at < p->length && p->text[p->at] != '.' && p->text[p->at] != '[')
        return reject(r, p, p->at, 1, "expected `.` or `[`, or the end of the path");
    return true;
}

static void set_value(path_reader *r, const path_text *p, bake_path *step, bake_node_id value)
{
    if (step->value == BAKE_NODE_NONE) {
        step->value = value;
        step->ends = p->key;
        return;
    }
    bake_mark first = bake_node_mark(r->def->tree, step->ends);
    bake_report(r->def->diagnostics, BAKE_ERROR, bake_node_mark(r->def->tree, p->key), "duplicate",
                r->def->name, "the path is already given at %u:%u", first.line, first.column);
    bake_related(r->def->diagnostics, first, "first given here");
}

/* Parses all steps and returns their count, or 0 after a report. */
static size_t read_steps(path_reader *r, path_text *p)
{
    size_t count = 0;
    if (p->length == 0)
        reject(r, p, 0, 0, "the path is empty");
    while (p->at < p->length) {
        if (count == STEPS_MAX) {
            reject(r, p, p->at, 1, "the path has more than 256 steps");
            return 0;
        }
        if (!read_step(r, p, &r->steps[count++]))
            return 0;
    }
    return count;
}

/* Keys that identify the asset are not paths, unless the type has a field of that name. */
static void add_path(path_reader *r, bake_node_id key, bake_node_id value)
{
    const bake_schema *schema = r->def->schema;
    path_text p = {.key = key};
    bake_path *at = r->root;
    size_t count = 1;
    bool was;
    p.text = bake_node_text(r->def->tree, key, &p.length);
    bool is_struct = kiln_types_get(schema->types, r->type)->kind == KILN_KIND_STRUCT;
    /* A field name may look like a path, so fields come first. */
    if (is_struct && bake_schema_member(schema, r->type, p.text, p.length, &was))
        r->steps[0] = (bake_path){.key = key,
                                  .text = p.text,
                                  .length = (uint32_t)p.length,
                                  .shown = (uint32_t)p.length,
                                  .value = BAKE_NODE_NONE};
    else if (!r->def->rule->path_key &&
             bake_schema_is_asset_key(schema, r->def->rule, r->def->type, p.text, p.length))
        count = 0;
    else
        count = read_steps(r, &p);
    for (size_t i = 0; i < count && at; i++)
        at = add_step(r, at, &r->steps[i]);
    if (!at)
        r->no_memory = true;
    else if (count > 0)
        set_value(r, &p, at, value);
}

/* Reads a patch that has one path and one value, each under its key, next to the keys that identify
 * the asset. */
static void read_path_and_value(path_reader *r)
{
    const bake_paths_def *def = r->def;
    const bake_file_rule *rule = def->rule;
    const char *keys[] = {rule->path_key, rule->value_key, rule->path_id, rule->by};
    bake_node_id found[4] = {BAKE_NODE_NONE, BAKE_NODE_NONE, BAKE_NODE_NONE, BAKE_NODE_NONE};
    for (bake_iterator it = bake_iterator_begin(def->tree, def->node); bake_iterator_next(&it);) {
        size_t length, k = 0;
        const char *text = bake_node_text(def->tree, it.key, &length);
        while (k < 4 && (!keys[k] || strlen(keys[k]) != length || memcmp(keys[k], text, length)))
            k++;
        if (k < 4) {
            found[k] = it.value;
            continue;
        }
        bake_report(def->diagnostics, BAKE_ERROR, bake_node_mark(def->tree, it.key), "unknown-key",
                    def->name, "unknown key \"%.*s\" in a patch",
                    (int)(length < 200 ? length : 200), text);
        if (bake_hints_wanted(def->diagnostics))
            bake_hint_similar(def->diagnostics, text, length, keys, rule->by ? 4 : 3);
    }
    for (int k = 0; k < 2; k++)
        if (found[k] == BAKE_NODE_NONE)
            bake_report(def->diagnostics, BAKE_ERROR, bake_node_mark(def->tree, def->node), "path",
                        def->name, "missing key \"%s\" for the %s", keys[k],
                        k == 0 ? "path" : "value");
    if (found[0] == BAKE_NODE_NONE || found[1] == BAKE_NODE_NONE)
        return;
    if (bake_node_kind_of(def->tree, found[0]) != BAKE_NODE_SCALAR ||
        bake_node_is_null(def->tree, found[0]))
        bake_report(def->diagnostics, BAKE_ERROR, bake_node_mark(def->tree, found[0]), "path",
                    def->name, "expected a path such as `size.x` or `parts[2].colour`");
    else
        add_path(r, found[0], found[1]);
}

bake_path *bake_paths_read(const bake_paths_def *def)
{
    path_reader r = {.def = def, .type = def->type};
    r.root = bake_store_alloc(def->store, 1, sizeof *r.root);
    r.steps = bake_alloc_array(STEPS_MAX, sizeof *r.steps);
    if (!r.root || !r.steps) {
        bake_free(r.steps);
        return NULL;
    }
    r.root->text = "";
    r.root->value = BAKE_NODE_NONE;
    r.type = bake_type_unwrapped(def->schema->types, r.type);
    bool is_mapping = bake_node_kind_of(def->tree, def->node) == BAKE_NODE_MAPPING;
    if (!is_mapping && !bake_node_is_placeholder(def->tree, def->node))
        bake_report(def->diagnostics, BAKE_ERROR, bake_node_mark(def->tree, def->node), "type",
                    def->name, "expected a mapping of paths to values");
    if (is_mapping && def->rule->path_key)
        read_path_and_value(&r);
    for (bake_iterator it = bake_iterator_begin(def->tree, def->node);
         is_mapping && !def->rule->path_key && !r.no_memory && bake_iterator_next(&it);)
        add_path(&r, it.key, it.value);
    bake_free(r.known);
    bake_table_fini(&r.by_text);
    bake_free(r.steps);
    return r.no_memory ? NULL : r.root;
}
