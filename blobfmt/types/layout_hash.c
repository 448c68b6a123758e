/* Computes the layout hashes of all named types, as defined by FORMAT.md section 6.
 *
 * Types that contain one another (through pointers) form a strongly connected component, which is
 * hashed as a unit: references within it are by name, references out of it by name and hash.
 * Tarjan's algorithm finds the components ("Depth-first search and linear graph algorithms", SIAM
 * J. Comput. 1, 1972). It is iterative here, because the input controls how deeply types nest. It
 * completes a component after all components that it refers to, so every hash is available when it
 * is needed.
 *
 * Work is linear in the size of the types, except for sorting names. */
#include "hash.h"
#include "number_sort.h"
#include "type_list.h"

#include <string.h>

enum { UNVISITED = 0, EXPRESSION_SIZE = 4096 };

typedef struct hasher {
    kiln_types *types;
    uint32_t *edge_starts; /* index into `edges`, by type; count + 1 entries */
    uint32_t *edges;       /* the named types that each type is made of, without refs and data */
    uint32_t *order;       /* Tarjan's index: order of the visit, from 1, or UNVISITED */
    uint32_t *low;
    uint32_t *next_edge;
    uint32_t *component; /* by type: number of its component, from 1, once it is complete */
    uint32_t *open;      /* stack of types whose component is not complete */
    uint32_t *path;      /* stack of types being visited */
    uint32_t *outside;   /* named types outside the component being hashed */
    uint32_t open_count, path_count, visits, components;
    hash_stream stream;
} hasher;

/* Counts the named types in the expression of type `number`, except inside refs and data, and
 * stores them in `edges` unless it is NULL. Only maps have two parts, and a key is either a named
 * type or contains none, so following the elements in a loop is enough. */
static uint32_t named_parts(const kiln_types *types, uint32_t number, uint32_t *edges)
{
    uint32_t count = 0;
    while (number != KILN_TYPE_NONE) {
        const kiln_type *type = type_at(types, number);
        if (*type->name) {
            if (edges)
                edges[count] = number;
            return count + 1;
        }
        if (type->kind == KILN_KIND_MAP && *type_at(types, type->key)->name) {
            if (edges)
                edges[count] = type->key;
            count++;
        }
        bool is_indirect = type->kind == KILN_KIND_REF || type->kind == KILN_KIND_DATA;
        number = is_indirect ? KILN_TYPE_NONE : type->element;
    }
    return count;
}

static uint32_t member_parts(const kiln_types *types, uint32_t number, uint32_t *edges)
{
    const kiln_type *type = type_at(types, number);
    uint32_t count = 0;
    if (type->kind == KILN_KIND_STRUCT || type->kind == KILN_KIND_UNION)
        for (uint32_t i = 0; i < type->member_count; i++)
            count += named_parts(types, type->members[i].type, edges ? edges + count : NULL);
    return count;
}

static void add_text(hasher *h, const char *text)
{
    kiln_hash_stream_add(&h->stream, text, strlen(text) + 1);
}

/* Adds the number in decimal. */
static void add_number(hasher *h, uint64_t number)
{
    char digits[24];
    size_t at = sizeof digits;
    digits[--at] = '\0';
    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    kiln_hash_stream_add(&h->stream, digits + at, sizeof digits - at);
}

/* Adds the hash as 16 hexadecimal digits. */
static void add_hash(hasher *h, uint64_t hash)
{
    char digits[17];
    for (size_t i = 0; i < 16; i++)
        digits[i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
    digits[16] = '\0';
    kiln_hash_stream_add(&h->stream, digits, sizeof digits);
}

static void add_expression(hasher *h, uint32_t type)
{
    /* Unnamed types nest at most 8 deep and names have at most 255 bytes, so every expression fits.
     */
    char expression[EXPRESSION_SIZE];
    expression[0] = '\0';
    if (type != KILN_TYPE_NONE)
        kiln_type_expression(h->types, type, expression, sizeof expression);
    add_text(h, expression);
}

/* Adds the shape of a named type: its own description, with other types by name. */
static void add_shape(hasher *h, uint32_t number)
{
    const kiln_type *type = type_at(h->types, number);
    add_text(h, kiln_kind_name(type->kind));
    add_text(h, type->name);
    if (type->kind == KILN_KIND_STRUCT) {
        add_number(h, type->size);
        add_number(h, type->align);
    } else if (type->kind != KILN_KIND_UNION) {
        add_text(h, kiln_kind_name(type->base));
    }
    add_number(h, type->member_count);
    const uint32_t *by_value = members_by_value(type);
    for (uint32_t i = 0; i < type->member_count; i++) {
        bool is_struct = type->kind == KILN_KIND_STRUCT;
        const kiln_member *member = &type->members[is_struct ? i : by_value[i]];
        add_text(h, member->name);
        add_number(h, is_struct ? member->offset : member->value);
        if (is_struct || type->kind == KILN_KIND_UNION)
            add_expression(h, member->type);
    }
}

static int compare_type_names(const void *ctx, uint32_t a, uint32_t b)
{
    const kiln_types *types = ctx;
    return strcmp(type_at(types, a)->name, type_at(types, b)->name);
}

/* Hashes the complete component whose members are `members`. */
static void hash_component(hasher *h, uint32_t *members, uint32_t count)
{
    uint32_t outside = 0, component = ++h->components;
    for (uint32_t i = 0; i < count; i++)
        h->component[members[i]] = component;
    kiln_number_sort(members, count, compare_type_names, h->types);
    kiln_hash_stream_begin(&h->stream);
    for (uint32_t i = 0; i < count; i++) {
        add_shape(h, members[i]);
        for (uint32_t e = h->edge_starts[members[i]]; e < h->edge_starts[members[i] + 1]; e++)
            if (h->component[h->edges[e]] != component)
                h->outside[outside++] = h->edges[e];
    }
    kiln_number_sort(h->outside, outside, compare_type_names, h->types);
    for (uint32_t i = 0; i < outside; i++) {
        /* The list is sorted, so repeated types are neighbours. */
        if (i > 0 && h->outside[i] == h->outside[i - 1])
            continue;
        add_text(h, type_at(h->types, h->outside[i])->name);
        add_hash(h, type_at(h->types, h->outside[i])->layout);
    }
    uint64_t whole = kiln_hash_stream_end(&h->stream);
    for (uint32_t i = 0; i < count; i++) {
        kiln_hash_stream_begin(&h->stream);
        add_text(h, type_at(h->types, members[i])->name);
        add_hash(h, whole);
        h->types->types[members[i]].layout = kiln_hash_stream_end(&h->stream);
    }
}

static void begin_visit(hasher *h, uint32_t type)
{
    h->order[type] = h->low[type] = ++h->visits;
    h->next_edge[type] = h->edge_starts[type];
    h->open[h->open_count++] = type;
    h->path[h->path_count++] = type;
}

static void end_visit(hasher *h, uint32_t type)
{
    h->path_count--;
    if (h->path_count > 0) {
        uint32_t parent = h->path[h->path_count - 1];
        if (h->low[type] < h->low[parent])
            h->low[parent] = h->low[type];
    }
    /* Only the first visited type of a component cannot reach an earlier open type. */
    if (h->low[type] != h->order[type])
        return;
    uint32_t first = h->open_count;
    while (h->open[--first] != type)
        ;
    hash_component(h, h->open + first, h->open_count - first);
    h->open_count = first;
}

static void visit_from(hasher *h, uint32_t start)
{
    begin_visit(h, start);
    while (h->path_count > 0) {
        uint32_t type = h->path[h->path_count - 1];
        if (h->next_edge[type] == h->edge_starts[type + 1]) {
            end_visit(h, type);
            continue;
        }
        uint32_t to = h->edges[h->next_edge[type]++];
        if (h->order[to] == UNVISITED)
            begin_visit(h, to);
        else if (h->component[to] == 0 && h->order[to] < h->low[type])
            h->low[type] = h->order[to];
    }
}

kiln_status kiln_types_hash(kiln_types *types, kiln_error *reterr)
{
    enum { LISTS_BY_TYPE = 7 };
    const kiln_allocator *a = &types->allocator;
    uint32_t count = types->count, edge_count = 0;
    for (uint32_t i = 0; i < count; i++)
        edge_count += member_parts(types, i, NULL);
    /* One block for all lists. `edge_starts` is the last of the lists that are indexed by type,
     * because it has one extra entry. */
    size_t numbers = (size_t)count * LISTS_BY_TYPE + 1 + (size_t)edge_count * 2;
    uint32_t *memory = a->alloc(a->ctx, numbers * sizeof *memory, sizeof *memory);
    if (!memory)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    memset(memory, 0, numbers * sizeof *memory);
    hasher h = {.types = types};
    uint32_t **lists[LISTS_BY_TYPE] = {&h.order, &h.low,  &h.next_edge,  &h.component,
                                       &h.open,  &h.path, &h.edge_starts};
    for (uint32_t i = 0; i < LISTS_BY_TYPE; i++)
        *lists[i] = memory + (size_t)count * i;
    h.edges = h.edge_starts + count + 1;
    h.outside = h.edges + edge_count;
    uint32_t edge = 0;
    for (uint32_t i = 0; i < count; i++) {
        h.edge_starts[i] = edge;
        edge += member_parts(types, i, h.edges + edge);
    }
    h.edge_starts[count] = edge;
    for (uint32_t i = 0; i < count; i++)
        if (*type_at(types, i)->name && h.order[i] == UNVISITED)
            visit_from(&h, i);
    a->free(a->ctx, memory, numbers * sizeof *memory);
    return KILN_OK;
}
