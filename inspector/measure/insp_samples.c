#include "insp_samples.h"

#include "insp_memory.h"

#include <math.h>
#include <stdlib.h>
#include <xxhash.h>

/* ---- keys ---- */

/* The kind that a value is stored as. */
static kiln_kind stored_kind(const kiln_type *of)
{
    return of->kind == KILN_KIND_ENUM || of->kind == KILN_KIND_FLAGS ? of->base : of->kind;
}

static bool is_signed(const kiln_type *of)
{
    kiln_kind kind = stored_kind(of);
    return kind == KILN_KIND_I8 || kind == KILN_KIND_I16 || kind == KILN_KIND_I32 ||
           kind == KILN_KIND_I64;
}

static bool is_float(const kiln_type *of)
{
    return of->kind == KILN_KIND_F32 || of->kind == KILN_KIND_F64;
}

#define SIGN_BIT (UINT64_C(1) << 63)

/* Bits whose order as unsigned numbers is that of the numbers. -0 and 0 have one key. */
static uint64_t key_of_float(double number)
{
    uint64_t bits;
    number += 0.0;
    memcpy(&bits, &number, sizeof bits);
    return bits & SIGN_BIT ? ~bits : bits | SIGN_BIT;
}

static double float_of_key(uint64_t key)
{
    uint64_t bits = key & SIGN_BIT ? key & ~SIGN_BIT : ~key;
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

double insp_sample_number(const insp_samples *samples, const insp_sample *sample)
{
    if (is_float(samples->of))
        return float_of_key(sample->key);
    if (is_signed(samples->of))
        return (double)(int64_t)(sample->key ^ SIGN_BIT);
    return (double)sample->key;
}

uint64_t insp_sample_bits(const insp_samples *samples, const insp_sample *sample)
{
    double number = float_of_key(sample->key);
    uint64_t bits;
    if (is_signed(samples->of))
        return sample->key ^ SIGN_BIT;
    if (!is_float(samples->of))
        return sample->key;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

bool insp_samples_are_lengths(const insp_samples *samples)
{
    kiln_kind kind = samples->of->kind;
    return kind == KILN_KIND_STRING || kind == KILN_KIND_BYTES || kind == KILN_KIND_ARRAY ||
           kind == KILN_KIND_MAP;
}

bool insp_samples_are_ordered(const insp_samples *samples)
{
    kiln_kind kind = samples->of->kind;
    return kind != KILN_KIND_BOOL && kind != KILN_KIND_ENUM && kind != KILN_KIND_FLAGS &&
           kind != KILN_KIND_REF && kind != KILN_KIND_UNION && kind != KILN_KIND_ENTITY &&
           kind != KILN_KIND_DATA;
}

/* ---- collecting ---- */

/* A sample that is looked for. */
typedef struct search {
    uint32_t asset, ordinal;
    size_t place; /* in the list of what is found */
} search;

typedef struct collector {
    insp_samples *samples;
    uint32_t last_asset; /* KILN_ASSET_NONE: none */
    uint32_t ordinal;
    kiln_status status;
    const kiln_value *structure; /* that contains the field */
    /* While samples are looked for: where they were found, and those of this asset that were not
     * found yet, ascending by ordinal. */
    insp_found *found;
    const search *next, *end;
} collector;

static void add_sample(collector *c, const insp_struct_walk *walk, uint64_t key, uint64_t text)
{
    insp_samples *samples = c->samples;
    insp_sample *grown =
        insp_grow(samples->rows, &samples->capacity, samples->count + 1, sizeof *samples->rows);
    if (!grown) {
        c->status = KILN_NO_MEMORY;
        return;
    }
    samples->rows = grown;
    grown[samples->count++] = (insp_sample){key, text, walk->asset->number, c->ordinal++};
}

static void add_length(collector *c, const insp_struct_walk *walk, const kiln_value *value)
{
    insp_samples *samples = c->samples;
    const unsigned char *target;
    const char *text = NULL;
    uint64_t size, hash = 0;
    uint32_t length = 0;
    if (kiln_value_target(value, &target, &size) != KILN_OK) {
        samples->broken++;
        return;
    }
    if (kiln_value_text(value, &text, &length) == KILN_OK)
        hash = XXH3_64bits(text, length);
    else
        length = kiln_value_count(value);
    samples->total = samples->total > UINT64_MAX - length ? UINT64_MAX : samples->total + length;
    add_sample(c, walk, length, hash);
}

static void add_value(collector *c, const insp_struct_walk *walk, const kiln_value *value)
{
    insp_samples *samples = c->samples;
    const kiln_member *member;
    double number;
    if (insp_samples_are_lengths(samples)) {
        add_length(c, walk, value);
    } else if (value->of->kind == KILN_KIND_UNION) {
        member = kiln_value_member(value);
        if (member)
            add_sample(c, walk, member->value, 0);
        else
            samples->absent++;
    } else if (is_float(value->of)) {
        number = kiln_value_float(value);
        if (isnan(number))
            samples->nans++;
        else
            add_sample(c, walk, key_of_float(number), 0);
    } else {
        uint64_t bits = kiln_value_uint(value);
        add_sample(c, walk, is_signed(value->of) ? bits ^ SIGN_BIT : bits, 0);
    }
}

/* The type of the samples of a field: without optionals, newtypes and fixed arrays. */
static uint32_t sampled_type(const kiln_types *types, uint32_t type)
{
    enum { LAYERS_MAX = 32 }; /* a newtype of an optional of itself has no end */
    const kiln_type *of = kiln_types_get(types, type);
    int i;
    for (i = 0;
         i < LAYERS_MAX && (of->kind == KILN_KIND_OPTIONAL || of->kind == KILN_KIND_FIXED ||
                            (of->kind == KILN_KIND_STRUCT && of->flags & KILN_TYPE_TRANSPARENT));
         i++) {
        type = of->kind == KILN_KIND_STRUCT ? of->members[0].type : of->element;
        of = kiln_types_get(types, type);
    }
    return type;
}

/* Whether a value is counted as a sample. Must agree with add_value. */
static bool is_sample(const insp_samples *samples, const kiln_value *value)
{
    const unsigned char *target;
    uint64_t size;
    if (insp_samples_are_lengths(samples))
        return kiln_value_target(value, &target, &size) == KILN_OK;
    if (value->of->kind == KILN_KIND_UNION)
        return kiln_value_member(value) != NULL;
    return !is_float(value->of) || !isnan(kiln_value_float(value));
}

static kiln_status fill_found(collector *c, const insp_struct_walk *walk, const insp_step *step,
                              const kiln_value *value, insp_found *found)
{
    const char *text;
    insp_struct_walk_add_path(walk, step, c->structure, c->samples->field, &found->path);
    if (kiln_value_text(value, &text, &found->length) == KILN_OK) {
        found->text = insp_alloc_unset((size_t)found->length + 1, 1);
        if (!found->text)
            return KILN_NO_MEMORY;
        if (found->length)
            memcpy(found->text, text, found->length);
    }
    return found->path.failed ? KILN_NO_MEMORY : KILN_OK;
}

/* Looks for the sample with the next wanted ordinal. Returns false after the last one. */
static bool find_value(collector *c, const insp_struct_walk *walk, const insp_step *step,
                       const kiln_value *value)
{
    uint32_t ordinal = c->ordinal;
    if (!is_sample(c->samples, value))
        return true;
    c->ordinal++;
    for (; c->next < c->end && c->next->ordinal == ordinal && !c->status; c->next++)
        c->status = fill_found(c, walk, step, value, &c->found[c->next->place]);
    return c->next < c->end && !c->status;
}

static bool add_values(collector *c, insp_struct_walk *walk, const insp_step *step,
                       const kiln_value *value)
{
    uint32_t i, count = kiln_value_count(value);
    kiln_value inner;
    if (value->type == c->samples->of_type) {
        if (c->found)
            return find_value(c, walk, step, value);
        add_value(c, walk, value);
        return c->status == KILN_OK;
    }
    if (value->of->kind == KILN_KIND_OPTIONAL && !count)
        c->samples->absent++;
    for (i = 0; i < count; i++) {
        if (!walk->left--) {
            walk->left = 0;
            c->samples->stopped = true;
            return false;
        }
        if (kiln_value_at(value, i, &inner) != KILN_OK)
            c->samples->broken++;
        else if (!add_values(c, walk, step, &inner))
            return false;
    }
    return true;
}

static bool visit_struct(insp_struct_walk *walk, const insp_step *step, const kiln_value *value)
{
    collector *c = walk->ctx;
    kiln_value field;
    if (kiln_value_at(value, c->samples->field, &field) != KILN_OK)
        return true;
    c->structure = value;
    if (c->last_asset != walk->asset->number) {
        c->samples->assets++;
        c->ordinal = 0;
    }
    c->last_asset = walk->asset->number;
    return add_values(c, walk, step, &field);
}

/* ---- order ---- */

static int compare_samples(const void *a, const void *b)
{
    const insp_sample *left = a, *right = b;
    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    if (left->text != right->text)
        return left->text < right->text ? -1 : 1;
    if (left->asset != right->asset)
        return left->asset < right->asset ? -1 : 1;
    return (left->ordinal > right->ordinal) - (left->ordinal < right->ordinal);
}

static bool is_same(const insp_sample *a, const insp_sample *b)
{
    return a->key == b->key && a->text == b->text;
}

/* Byte `i` of what samples are sorted by: the hash of a text, then the key. */
static unsigned digit_of(const insp_sample *sample, int i)
{
    return (i < 8 ? sample->text >> (8 * i) : sample->key >> (8 * (i - 8))) & 255;
}

/* Sorts by key and text: a radix sort, lowest bytes first. It is stable, and samples are collected
 * in the order of assets. Bytes that are the same in all samples are skipped. */
static bool sort_samples(insp_samples *samples)
{
    size_t i, count = samples->count;
    insp_sample *from = samples->rows, *to = insp_alloc_array(count, sizeof *to);
    uint64_t text = 0, key = 0;
    int digit;
    if (!to)
        return false;
    for (i = 1; i < count; i++) {
        text |= from[i].text ^ from[0].text;
        key |= from[i].key ^ from[0].key;
    }
    for (digit = 0; digit < 16; digit++) {
        size_t starts[257] = {0};
        insp_sample varying = {.key = key, .text = text}, *swapped = from;
        if (!digit_of(&varying, digit))
            continue;
        for (i = 0; i < count; i++)
            starts[digit_of(&from[i], digit) + 1]++;
        for (i = 1; i < 257; i++)
            starts[i] += starts[i - 1];
        for (i = 0; i < count; i++)
            to[starts[digit_of(&from[i], digit)]++] = from[i];
        from = to;
        to = swapped;
    }
    if (from != samples->rows)
        memcpy(to, from, count * sizeof *to);
    insp_free(from != samples->rows ? from : to);
    return true;
}

static bool summarize(insp_samples *samples)
{
    double sum = 0;
    size_t i;
    if (samples->count && !sort_samples(samples))
        return false;
    for (i = 0; i < samples->count; i++) {
        sum += insp_sample_number(samples, &samples->rows[i]);
        samples->distinct += !i || !is_same(&samples->rows[i - 1], &samples->rows[i]);
    }
    if (samples->count)
        samples->mean = sum / (double)samples->count;
    return true;
}

static kiln_status walk_samples(collector *c, uint64_t limit)
{
    insp_samples *samples = c->samples;
    insp_struct_walk walk = {.reaches = NULL};
    bool *wanted = insp_alloc_array(kiln_types_count(samples->file->types), sizeof *wanted);
    kiln_status status = KILN_NO_MEMORY;
    if (wanted) {
        wanted[samples->type] = true;
        status = insp_struct_walk_init(&walk, samples->file, wanted);
    }
    walk.visit = visit_struct;
    walk.ctx = c;
    walk.left = limit;
    if (!status)
        status = insp_struct_walk_file(&walk);
    insp_struct_walk_fini(&walk);
    insp_free(wanted);
    samples->stopped = samples->stopped || walk.stopped;
    samples->broken += walk.broken;
    return status ? status : c->status;
}

kiln_status insp_samples_init(insp_samples *samples, const insp_file *file, uint32_t type,
                              uint32_t field, uint64_t limit)
{
    collector c = {.samples = samples, .last_asset = KILN_ASSET_NONE};
    kiln_status status;
    *samples = (insp_samples){.file = file, .type = type, .field = field};
    samples->of_type =
        sampled_type(file->types, kiln_types_get(file->types, type)->members[field].type);
    samples->of = kiln_types_get(file->types, samples->of_type);
    status = walk_samples(&c, limit);
    return !status && !summarize(samples) ? KILN_NO_MEMORY : status;
}

void insp_samples_fini(insp_samples *samples)
{
    insp_free(samples->rows);
    *samples = (insp_samples){0};
}

/* ---- answers ---- */

const insp_sample *insp_samples_quantile(const insp_samples *samples, double share)
{
    size_t at = (size_t)ceil(share * (double)samples->count);
    at = at > 0 ? at - 1 : 0;
    return &samples->rows[at < samples->count ? at : samples->count - 1];
}

/* More frequent values first, then smaller ones. */
static int compare_common(const void *a, const void *b)
{
    const insp_common *left = a, *right = b;
    if (left->count != right->count)
        return left->count > right->count ? -1 : 1;
    return compare_samples(&left->sample, &right->sample);
}

kiln_status insp_samples_common(const insp_samples *samples, size_t most, insp_common **ret_rows,
                                size_t *ret_count)
{
    size_t i, end, count = 0, capacity = 0;
    insp_common *rows = NULL;
    for (i = 0; i < samples->count; i = end) {
        insp_common *grown;
        for (end = i + 1; end < samples->count && is_same(&samples->rows[i], &samples->rows[end]);)
            end++;
        if (end - i < 2)
            continue;
        grown = insp_grow(rows, &capacity, count + 1, sizeof *rows);
        if (!grown) {
            insp_free(rows);
            return KILN_NO_MEMORY;
        }
        rows = grown;
        rows[count++] = (insp_common){samples->rows[i], end - i};
    }
    if (count)
        qsort(rows, count, sizeof *rows, compare_common);
    *ret_rows = rows;
    *ret_count = count < most ? count : most;
    return KILN_OK;
}

static int compare_searches(const void *a, const void *b)
{
    const search *left = a, *right = b;
    if (left->asset != right->asset)
        return left->asset < right->asset ? -1 : 1;
    return (left->ordinal > right->ordinal) - (left->ordinal < right->ordinal);
}

/* Searches are sorted. */
static kiln_status find_in_assets(collector *c, insp_struct_walk *walk, const search *searches,
                                  size_t count)
{
    size_t i, end;
    kiln_status status = KILN_OK;
    for (i = 0; i < count && !status; i = end) {
        for (end = i + 1; end < count && searches[end].asset == searches[i].asset;)
            end++;
        c->next = searches + i;
        c->end = searches + end;
        c->last_asset = searches[i].asset;
        c->ordinal = 0;
        walk->stopped = false;
        walk->left = UINT64_MAX;
        status =
            insp_struct_walk_asset(walk, insp_numbered_asset(c->samples->file, searches[i].asset));
        status = status ? status : c->status;
    }
    return status;
}

static kiln_status find_all(const insp_samples *samples, const search *searches, size_t count,
                            insp_found *found)
{
    insp_samples same = *samples; /* for its types only */
    collector c = {.samples = &same, .found = found};
    insp_struct_walk walk = {.reaches = NULL};
    kiln_status status;
    bool *wanted = insp_alloc_array(kiln_types_count(samples->file->types), sizeof *wanted);
    if (!wanted)
        return KILN_NO_MEMORY;
    wanted[samples->type] = true;
    status = insp_struct_walk_init(&walk, samples->file, wanted);
    walk.visit = visit_struct;
    walk.ctx = &c;
    if (!status)
        status = find_in_assets(&c, &walk, searches, count);
    insp_struct_walk_fini(&walk);
    insp_free(wanted);
    return status;
}

kiln_status insp_samples_find(const insp_samples *samples, const insp_sample *const *wanted,
                              size_t count, insp_found **ret_found)
{
    insp_found *found = insp_alloc_array(count, sizeof *found);
    search *searches = insp_alloc_array(count, sizeof *searches);
    kiln_status status = found && searches ? KILN_OK : KILN_NO_MEMORY;
    size_t i;
    *ret_found = NULL;
    for (i = 0; i < count && !status; i++)
        searches[i] = (search){wanted[i]->asset, wanted[i]->ordinal, i};
    if (count && !status) {
        qsort(searches, count, sizeof *searches, compare_searches);
        status = find_all(samples, searches, count, found);
    }
    insp_free(searches);
    if (status)
        insp_found_free(found, count);
    else
        *ret_found = found;
    return status;
}

void insp_found_free(insp_found *found, size_t count)
{
    size_t i;
    for (i = 0; found && i < count; i++) {
        insp_path_fini(&found[i].path);
        insp_free(found[i].text);
    }
    insp_free(found);
}

void insp_samples_outliers(const insp_samples *samples, size_t *ret_low, size_t *ret_high)
{
    double low, high, range;
    size_t count = samples->count;
    *ret_low = *ret_high = 0;
    if (!count || !insp_samples_are_ordered(samples))
        return;
    low = insp_sample_number(samples, insp_samples_quantile(samples, 0.25));
    high = insp_sample_number(samples, insp_samples_quantile(samples, 0.75));
    range = 3 * (high - low);
    if (!(range > 0))
        return;
    while (*ret_low < count && insp_sample_number(samples, &samples->rows[*ret_low]) < low - range)
        ++*ret_low;
    while (*ret_high < count - *ret_low &&
           insp_sample_number(samples, &samples->rows[count - 1 - *ret_high]) > high + range)
        ++*ret_high;
}
