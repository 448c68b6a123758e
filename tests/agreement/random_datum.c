/* Random values. */
#include "random_schema.h"

#include <kiln/index.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 5, HEIGHT_MAX = 4, VALUES_MAX = 2000 };

/* Whether values from here on should have no children. */
static bool is_enough(const random_schema *schema, unsigned depth)
{
    return depth >= DEPTH_MAX || schema->made > VALUES_MAX;
}

static random_datum *new_datum(random_schema *schema, const random_type *type)
{
    random_datum *datum = random_alloc(schema, sizeof *datum);
    datum->type = type;
    return datum;
}

static void make_items(random_schema *schema, random_datum *datum, uint32_t count)
{
    datum->count = count;
    datum->items = random_alloc(schema, (count + (size_t)1) * sizeof *datum->items);
}

static uint64_t cut(uint64_t bits, kiln_kind kind)
{
    unsigned unused = 64 - 8 * kiln_kind_size(kind);
    return bits << unused >> unused;
}

/* Returns the bits of the integer, sign-extended to 64 bits. */
static uint64_t make_integer(random_schema *schema, kiln_kind kind)
{
    static const uint64_t edges[] = {0, 1, UINT64_MAX, UINT64_MAX - 1, 100, 10};
    unsigned size = 8 * kiln_kind_size(kind);
    uint64_t bits = random_bits(schema) >> random_below(schema, 64);
    if (random_chance(schema, 20))
        bits = edges[random_below(schema, 6)];
    else if (random_chance(schema, 20))
        bits = (UINT64_C(1) << (size - 1)) - random_below(schema, 2);
    bits = cut(bits, kind);
    if (kiln_kind_is_signed(kind) && bits >> (size - 1) && size < 64)
        bits |= ~UINT64_C(0) << size;
    return bits;
}

/* There is only one NaN, because it is written `.nan`. */
static uint64_t make_float(random_schema *schema, kiln_kind kind)
{
    static const double texts[] = {0, 1, -1, 0.1, 0.5, 3.14159, 1e6, -2.5, 1e-7, 100};
    uint64_t bits = random_bits(schema);
    double number = texts[random_below(schema, 10)];
    float single = (float)number;
    bool is_double = kind == KILN_KIND_F64;
    uint32_t single_bits;
    switch (random_below(schema, 4)) {
    case 0:
        bits = cut(bits, kind);
        break;
    case 1:
        bits = is_double ? bits & UINT64_C(0x800fffffffffffff) : bits & 0x807fffff;
        bits |= random_chance(schema, 30)
                    ? (is_double ? UINT64_C(0x7ff0000000000000) : UINT64_C(0x7f800000))
                    : 0;
        break;
    default:
        memcpy(&single_bits, &single, sizeof single);
        bits = single_bits;
        if (is_double)
            memcpy(&bits, &number, sizeof bits);
        if (random_chance(schema, 10))
            bits ^= is_double ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
    }
    uint64_t infinite = is_double ? UINT64_C(0x7ff0000000000000) : UINT64_C(0x7f800000);
    bool is_nan = (bits & infinite) == infinite && bits & (is_double ? 0xfffffffffffff : 0x7fffff);
    if (is_nan)
        bits = is_double ? UINT64_C(0x7ff8000000000000) : UINT64_C(0x7fc00000);
    return bits;
}

/* Strings that a reader or writer of YAML, JSON or C could mishandle. */
static const char *const texts[] = {
    "",
    "a",
    "null",
    "~",
    "yes",
    "true",
    "1.10",
    "0x10",
    " lead",
    "trail ",
    "- x",
    "a: b",
    "#c",
    "a #c",
    "'",
    "\"",
    "\\",
    "\n",
    "\n\n",
    "line\nline\n",
    "\ttab",
    "\r",
    "\r\n",
    "\x01",
    "\x1b[0m",
    "\x7f",
    "\xc2\x80",
    "\xc2\x85",
    "\xe2\x80\xa8",
    "\xef\xbb\xbf",
    "\xf0\x9f\x94\xa5",
    "\xc3\xa4ther",
    "---",
    "...",
    "*a",
    "&a",
    "!!str",
    "%d",
    "|",
    ">",
    "{}",
    "[]",
    ",",
    "<<",
    "=",
    "?",
    ":",
    "-",
    "2026-11-21",
    "1:20",
    "\xed\x9f\xbf",
    "\xef\xbf\xbd",
    "\xf4\x8f\xbf\xbf",
    "key",
    "words and more",
};

static void make_text(random_schema *schema, random_datum *datum)
{
    const char *pick = texts[random_below(schema, sizeof texts / sizeof *texts)];
    uint32_t parts = random_chance(schema, 70) ? 1 : random_below(schema, 12);
    datum->text = random_alloc(schema, 512);
    for (uint32_t i = 0; i < parts; i++) {
        memcpy(datum->text + datum->length, pick, strlen(pick));
        datum->length += (uint32_t)strlen(pick);
        pick = texts[random_below(schema, sizeof texts / sizeof *texts)];
    }
}

static void make_bytes(random_schema *schema, random_datum *datum)
{
    datum->length = random_chance(schema, 20) ? 0 : random_below(schema, 24);
    datum->text = random_alloc(schema, datum->length + (size_t)1);
    for (uint32_t i = 0; i < datum->length; i++)
        datum->text[i] = (char)random_bits(schema);
}

random_id random_asset_id(uint32_t i)
{
    static const char *const forms[] = {"a%u",   "%u",   "id: %u",        "\xc3\xa4%u", "null %u",
                                        "x/y%u", "#%u",  "'%u'",          "\"%u\\",     " %u ",
                                        "*%u",   "{%u}", "Type0/%u",      "\x7f%u",     "0x%u",
                                        "- %u",  "~%u",  "\xe2\x80\xa8%u"};
    random_id id;
    snprintf(id.text, sizeof id.text, forms[i % (sizeof forms / sizeof *forms)], (unsigned)i);
    return id;
}

void random_asset_id_write(random_schema *schema, uint32_t i, FILE *out)
{
    random_id id = random_asset_id(i);
    random_text_write(schema, id.text, strlen(id.text), out);
}

static void make_ref(random_schema *schema, random_datum *datum)
{
    const random_type *to = datum->type->element;
    while (!to || !to->is_asset)
        to = schema->named[random_below(schema, schema->named_count)];
    random_id id = random_asset_id(random_below(schema, to->asset_count));
    size_t size = strlen(to->name) + strlen(id.text) + 2;
    datum->text = random_alloc(schema, size);
    datum->length = (uint32_t)snprintf(datum->text, size, "%s/%s", to->name, id.text);
}

static void make_flags(random_schema *schema, random_datum *datum)
{
    for (uint32_t i = 0; i < datum->type->member_count; i++)
        if (random_chance(schema, 40))
            datum->bits |= datum->type->members[i].value;
}

static bool is_same(const random_datum *a, const random_datum *b)
{
    return random_datum_compare(a, b) == 0;
}

/* Whether the key is or contains a negative zero or a NaN, which cannot be keys. */
static bool is_bad_key(const random_datum *key)
{
    if (key->type->kind == KILN_KIND_F32)
        return key->bits == 0x80000000 || key->bits == 0x7fc00000;
    if (key->type->kind == KILN_KIND_F64)
        return key->bits == UINT64_C(1) << 63 || key->bits == UINT64_C(0x7ff8000000000000);
    for (uint32_t i = 0; key->type->kind == KILN_KIND_FIXED && i < key->count; i++)
        if (is_bad_key(key->items[i]))
            return true;
    return false;
}

static int compare_keys(const void *a, const void *b)
{
    return random_datum_compare(*(random_datum *const *)a, *(random_datum *const *)b);
}

static void make_map(random_schema *schema, random_datum *datum, uint32_t count, unsigned depth)
{
    make_items(schema, datum, count);
    datum->keys = random_alloc(schema, (count + (size_t)1) * sizeof *datum->keys);
    datum->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        random_datum *key = random_datum_make(schema, datum->type->key, depth + 1);
        bool is_good = !is_bad_key(key);
        for (uint32_t j = 0; j < datum->count; j++)
            is_good = is_good && !is_same(key, datum->keys[j]);
        if (is_good)
            datum->keys[datum->count++] = key;
    }
    qsort(datum->keys, datum->count, sizeof *datum->keys, compare_keys);
    for (uint32_t i = 0; i < datum->count; i++)
        datum->items[i] = random_datum_make(schema, datum->type->element, depth + 1);
}

/* The keys of a rest map must not be names of fields. */
static void rename_rest(random_schema *schema, random_datum *map)
{
    for (uint32_t i = 0; i < map->count; i++) {
        random_datum *key = new_datum(schema, map->keys[i]->type);
        map->keys[i] = key;
        key->text = random_alloc(schema, 32);
        key->length = (uint32_t)snprintf(key->text, 32, "rest %03u", (unsigned)i);
    }
}

static void make_struct(random_schema *schema, random_datum *datum, unsigned depth)
{
    make_items(schema, datum, datum->type->member_count);
    for (uint32_t i = 0; i < datum->count; i++) {
        const random_member *member = &datum->type->members[i];
        if (member->default_value && random_chance(schema, 40)) {
            datum->items[i] = random_alloc(schema, sizeof *datum->items[i]);
            *datum->items[i] = *member->default_value;
            datum->items[i]->is_default = true;
            datum->items[i]->is_shared = false;
            continue;
        }
        if (member->is_rest) {
            datum->items[i] = new_datum(schema, member->type);
            make_map(schema, datum->items[i],
                     is_enough(schema, depth) ? 0 : random_below(schema, 4), depth + 1);
            rename_rest(schema, datum->items[i]);
        } else {
            datum->items[i] = random_datum_make(schema, member->type, depth);
        }
    }
}

static void make_union(random_schema *schema, random_datum *datum, unsigned depth)
{
    if (is_enough(schema, depth) || random_chance(schema, 15))
        return;
    datum->choice = 1 + random_below(schema, datum->type->member_count);
    const random_type *of = datum->type->members[datum->choice - 1].type;
    make_items(schema, datum, of ? 1 : 0);
    if (of)
        datum->items[0] = random_datum_make(schema, of, depth + 1);
}

/* Sets the content of a value. A value that is deep enough, or whose root is large enough, gets no
 * children. */
static void fill(random_schema *schema, random_datum *datum, unsigned depth)
{
    const random_type *type = datum->type;
    uint32_t count = is_enough(schema, depth) ? 0 : random_below(schema, depth < 2 ? 5 : 3);
    switch (type->kind) {
    case KILN_KIND_BOOL:
        datum->bits = random_below(schema, 2);
        break;
    case KILN_KIND_F32:
    case KILN_KIND_F64:
        datum->bits = make_float(schema, type->kind);
        break;
    case KILN_KIND_STRING:
        make_text(schema, datum);
        break;
    case KILN_KIND_BYTES:
        make_bytes(schema, datum);
        break;
    case KILN_KIND_REF:
        make_ref(schema, datum);
        break;
    case KILN_KIND_ENUM:
        datum->bits = type->members[random_below(schema, type->member_count)].value;
        break;
    case KILN_KIND_FLAGS:
        make_flags(schema, datum);
        break;
    case KILN_KIND_STRUCT:
        make_struct(schema, datum, depth);
        break;
    case KILN_KIND_UNION:
        make_union(schema, datum, depth);
        break;
    case KILN_KIND_MAP:
        make_map(schema, datum, count, depth);
        break;
    case KILN_KIND_ARRAY:
    case KILN_KIND_OPTIONAL:
    case KILN_KIND_FIXED:
        if (type->kind == KILN_KIND_FIXED)
            count = type->count;
        else if (type->kind == KILN_KIND_OPTIONAL)
            count = count != 0;
        make_items(schema, datum, count);
        for (uint32_t i = 0; i < count; i++)
            datum->items[i] =
                random_datum_make(schema, type->element, depth + (type->kind != KILN_KIND_FIXED));
        break;
    default:
        datum->bits = make_integer(schema, type->kind);
    }
}

static random_datum *find_recent(random_schema *schema, const random_type *type)
{
    for (uint32_t i = 0; i < RANDOM_RECENT; i++)
        if (schema->recent[i] && schema->recent[i]->type == type)
            return schema->recent[i];
    return NULL;
}

random_datum *random_datum_make(random_schema *schema, const random_type *type, unsigned depth)
{
    schema->made = depth ? schema->made + 1 : 0;
    random_datum *datum = depth && random_chance(schema, 10) ? find_recent(schema, type) : NULL;
    if (datum) {
        datum->is_shared = true;
        return datum;
    }
    datum = new_datum(schema, type);
    fill(schema, datum, depth);
    for (uint32_t i = 0; i < datum->count; i++)
        if (datum->items[i]->height >= datum->height)
            datum->height = datum->items[i]->height + 1;
    if (datum->height <= HEIGHT_MAX)
        schema->recent[random_below(schema, RANDOM_RECENT)] = datum;
    return datum;
}

double random_number_of(const random_datum *datum)
{
    double number;
    float single;
    uint32_t bits = (uint32_t)datum->bits;
    if (datum->type->kind == KILN_KIND_F32) {
        memcpy(&single, &bits, sizeof single);
        return (double)single;
    }
    memcpy(&number, &datum->bits, sizeof number);
    return number;
}

int random_datum_compare(const random_datum *a, const random_datum *b)
{
    kiln_kind kind = a->type->kind == KILN_KIND_ENUM ? a->type->base : a->type->kind;
    uint32_t shorter = a->length < b->length ? a->length : b->length;
    int order = 0;
    if (kind == KILN_KIND_STRING) {
        order = memcmp(a->text, b->text, shorter);
        return order ? order : (a->length > b->length) - (a->length < b->length);
    }
    if (kind == KILN_KIND_REF) {
        kiln_id a_id = kiln_asset_id(a->text, a->length), b_id = kiln_asset_id(b->text, b->length);
        return (a_id > b_id) - (a_id < b_id);
    }
    if (kind == KILN_KIND_FIXED) {
        for (uint32_t i = 0; i < a->count && order == 0; i++)
            order = random_datum_compare(a->items[i], b->items[i]);
        return order;
    }
    if (kiln_kind_is_float(kind))
        return (random_number_of(a) > random_number_of(b)) -
               (random_number_of(a) < random_number_of(b));
    if (kiln_kind_is_signed(kind))
        return ((int64_t)a->bits > (int64_t)b->bits) - ((int64_t)a->bits < (int64_t)b->bits);
    return (a->bits > b->bits) - (a->bits < b->bits);
}
