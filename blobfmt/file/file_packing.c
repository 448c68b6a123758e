/* Compresses the members of a file, with dictionaries where they save space.
 *
 * Members with the same setting (level and group name) form a group. A group is first compressed
 * without a dictionary. If it has a name and enough members, a dictionary is trained on them. Its
 * size is chosen by trial on part of the group: a larger dictionary compresses better, but must be
 * stored, too. The dictionary is used only if it makes the group smaller, including the dictionary
 * itself.
 *
 * All decisions depend only on the bytes of the members, never on times or addresses, so equal
 * input produces equal files. */
#include "file_packing.h"

#include "dictionary_train.h"

#include <kiln/blob_header.h>
#include <string.h>

static bool is_setting(const writer_setting *setting, int level, const char *group)
{
    return setting->level == level && (setting->group == NULL) == (group == NULL) &&
           (!group || strcmp(setting->group, group) == 0);
}

kiln_status kiln_file_writer_compress(kiln_file_writer *writer, int level, const char *group)
{
    writer_setting *settings = writer->settings.items, made = {level, NULL};
    if (level < 0 || level > KILN_COMPRESSION_LEVEL_MAX)
        return KILN_BAD_ARGUMENT;
    if (level == 0) {
        writer->setting = 0;
        return KILN_OK;
    }
    for (uint32_t i = 0; i < writer->settings.count; i++) {
        if (!is_setting(&settings[i], level, group))
            continue;
        writer->setting = i + 1;
        return KILN_OK;
    }
    if (group)
        made.group = kiln_arena_copy_text(&writer->memory, group, strlen(group));
    settings = group && !made.group
                   ? NULL
                   : kiln_vector_push(&writer->settings, &writer->allocator, 1, sizeof *settings);
    if (!settings)
        return KILN_NO_MEMORY;
    *settings = made;
    writer->setting = (uint32_t)writer->settings.count;
    return KILN_OK;
}

enum {
    SAMPLES_MIN = 8,         /* members; with fewer, a dictionary would just repeat some of them */
    SAMPLES_SIZE = 8 << 20,  /* bytes to train from, spread over all members */
    SAMPLE_SIZE = 1 << 17,   /* bytes of one member: libzstd does not read more of a sample */
    TRIAL_SIZE = 1 << 20,    /* bytes of members on which dictionary sizes are tried */
    CONTENT_MAX = 112 << 10, /* near the default of `zstd --train` */
    CONTENT_MIN = 1 << 10,
    DICTIONARY_ALIGN = 16,
    /* Overhead of a dictionary besides its payload: header, index entry, number, largest gap. */
    DICTIONARY_COST =
        KILN_HEADER_SIZE + sizeof(kiln_index_member) + sizeof(uint32_t) + DICTIONARY_ALIGN - 1
};

/* The members with one setting. */
typedef struct group {
    const kiln_file_writer *writer;
    arena *memory;
    packing *packing;
    const writer_setting *setting;
    const uint32_t *members;
    uint32_t count;
    unsigned char *scratch; /* as large as the largest member */
} group;

static const writer_member *member_of(const group *g, uint32_t i)
{
    return (const writer_member *)g->writer->members.items + g->members[i];
}

/* Compresses one member into the scratch memory. If it does not become smaller, `ret_size` is its
 * uncompressed size. */
static kiln_status try_member(const group *g, kiln_compressor *compressor, uint32_t i,
                              size_t *ret_size)
{
    const writer_member *member = member_of(g, i);
    size_t size = (size_t)member->size;
    kiln_writer_touch(g->writer, member);
    kiln_status status =
        kiln_compress(compressor, (kiln_span){member->blob, size}, g->scratch, size - 1, ret_size);
    if (status == KILN_NO_ROOM)
        *ret_size = size;
    return status == KILN_NO_ROOM ? KILN_OK : status;
}

/* Compresses the whole group. If a member becomes smaller than its best form so far, the new form
 * replaces that one. `ret_sum` receives the total number of stored bytes. */
static kiln_status store(const group *g, kiln_compressor *compressor, uint32_t dictionary,
                         packed_member *stored, uint64_t *ret_sum)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        size_t size;
        kiln_status status = try_member(g, compressor, i, &size);
        if (status)
            return status;
        if (size < stored[i].stored_size) {
            unsigned char *copy = kiln_arena_alloc(g->memory, size, 1);
            if (!copy)
                return KILN_NO_MEMORY;
            memcpy(copy, g->scratch, size);
            packed_member made = {copy, size, dictionary};
            stored[i] = made;
        }
        sum += stored[i].stored_size;
    }
    *ret_sum = sum;
    return KILN_OK;
}

static kiln_status store_with(const group *g, const void *bytes, size_t size, uint32_t dictionary,
                              packed_member *stored, uint64_t *ret_sum)
{
    kiln_compressor *compressor = NULL;
    kiln_status status =
        kiln_compressor_create(&g->writer->allocator, g->setting->level, bytes, size, &compressor);
    if (!status)
        status = store(g, compressor, dictionary, stored, ret_sum);
    kiln_compressor_destroy(compressor);
    return status;
}

/* Samples of the group, concatenated as ZDICT expects. */
typedef struct samples {
    unsigned char *data;
    size_t *sizes;
    size_t size;
    uint32_t count;
} samples;

static size_t sample_size(const group *g, uint32_t i)
{
    uint64_t size = member_of(g, i)->size;
    return size < SAMPLE_SIZE ? (size_t)size : SAMPLE_SIZE;
}

/* The step between sampled members, chosen so that the samples have about `room` bytes in total.
 * Steps spread the samples over the whole group, because its first members may be similar. */
static uint32_t step_for(const group *g, uint64_t room)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < g->count; i++)
        all += sample_size(g, i);
    return (uint32_t)(all / room) + 1;
}

static bool take_samples(const group *g, samples *ret_samples)
{
    uint32_t step = step_for(g, SAMPLES_SIZE);
    samples taken = {0};
    for (uint32_t i = 0; i < g->count; i += step)
        taken.size += sample_size(g, i);
    taken.data = kiln_arena_alloc(g->memory, taken.size, 1);
    taken.sizes =
        kiln_arena_alloc_array(g->memory, g->count / step + 1, sizeof(size_t), sizeof(size_t));
    if (!taken.data || !taken.sizes)
        return false;
    size_t at = 0;
    for (uint32_t i = 0; i < g->count; i += step) {
        size_t size = sample_size(g, i);
        kiln_writer_touch(g->writer, member_of(g, i));
        memcpy(taken.data + at, member_of(g, i)->blob, size);
        taken.sizes[taken.count++] = size;
        at += size;
    }
    *ret_samples = taken;
    return true;
}

/* Estimates the compressed size of the group with a dictionary, from some of its members. */
static kiln_status try_dictionary(const group *g, const void *bytes, size_t size, uint64_t *ret_sum)
{
    uint32_t step = step_for(g, TRIAL_SIZE);
    uint64_t sum = 0;
    kiln_compressor *compressor = NULL;
    kiln_status status =
        kiln_compressor_create(&g->writer->allocator, g->setting->level, bytes, size, &compressor);
    for (uint32_t i = 0; !status && i < g->count; i += step) {
        size_t stored = 0;
        status = try_member(g, compressor, i, &stored);
        sum += stored;
    }
    kiln_compressor_destroy(compressor);
    *ret_sum = sum * step;
    return status;
}

/* Tries dictionaries, halving the size each time, and copies the best one to `best`. `ret_size` is
 * 0 if no dictionary could be made. */
static kiln_status choose_dictionary(const group *g, const samples *from, unsigned char *content,
                                     size_t content_size, unsigned char *best, size_t *ret_size)
{
    unsigned char *made = kiln_arena_alloc(g->memory, CONTENT_MAX, 1);
    uint64_t least = UINT64_MAX;
    if (!made)
        return KILN_NO_MEMORY;
    *ret_size = 0;
    for (size_t room = content_size; room >= CONTENT_MIN; room /= 2) {
        size_t size;
        uint64_t sum = 0;
        kiln_status status =
            kiln_dictionary_cut(g->setting->level, content, content_size, from->data, from->sizes,
                                from->count, made, room, &size);
        if (status == KILN_NOT_FOUND)
            continue;
        if (!status)
            status = try_dictionary(g, made, size, &sum);
        if (status)
            return status;
        if (sum + size >= least)
            continue;
        least = sum + size;
        memcpy(best, made, size);
        *ret_size = size;
    }
    return KILN_OK;
}

/* Trains a dictionary into `payload`; `ret_size` is 0 if the samples are not suitable. */
static kiln_status train(const group *g, unsigned char *payload, size_t *ret_size)
{
    samples from;
    size_t size = 0, room;
    if (!take_samples(g, &from))
        return KILN_NO_MEMORY;
    room = from.size / 4 < CONTENT_MAX ? from.size / 4 : CONTENT_MAX;
    unsigned char *content = kiln_arena_alloc(g->memory, CONTENT_MAX, 1);
    if (!content)
        return KILN_NO_MEMORY;
    kiln_status status =
        room < CONTENT_MIN
            ? KILN_NOT_FOUND
            : kiln_dictionary_gather(from.data, from.sizes, from.count, content, room, &size);
    *ret_size = 0;
    if (!status)
        status = choose_dictionary(g, &from, content, size, payload, ret_size);
    return status == KILN_NOT_FOUND ? KILN_OK : status;
}

static void add_dictionary(const group *g, unsigned char *blob, size_t payload_size)
{
    packing *p = g->packing;
    uint64_t size = KILN_HEADER_SIZE + payload_size;
    kiln_header_write(blob, KILN_ALIGN_LOG2_MIN | kiln_kind_flags(KILN_BLOB_DICTIONARY),
                      payload_size, 0);
    writer_member made = {.blob = blob,
                          .size = size,
                          .content = kiln_content_hash(blob, (size_t)size),
                          .align_log2 = KILN_ALIGN_LOG2_MIN};
    p->dictionaries[p->dictionary_count++] = made;
}

/* Stores the group with a dictionary if that takes less than `sum`, including the dictionary. */
static kiln_status pack_with_dictionary(const group *g, packed_member *stored, uint64_t sum)
{
    size_t size = 0, bytes = g->count * sizeof *stored;
    unsigned char *blob =
        kiln_arena_alloc(g->memory, KILN_HEADER_SIZE + CONTENT_MAX, DICTIONARY_ALIGN);
    packed_member *with = kiln_arena_alloc(g->memory, bytes, _Alignof(packed_member));
    if (!blob || !with)
        return KILN_NO_MEMORY;
    kiln_status status = train(g, blob + KILN_HEADER_SIZE, &size);
    if (status || size == 0)
        return status;
    uint64_t with_sum;
    memcpy(with, stored, bytes);
    status = store_with(g, blob + KILN_HEADER_SIZE, size, g->packing->dictionary_count + 1, with,
                        &with_sum);
    if (status || with_sum + size + DICTIONARY_COST >= sum)
        return status;
    memcpy(stored, with, bytes);
    add_dictionary(g, blob, size);
    return KILN_OK;
}

static kiln_status pack_group(const group *g)
{
    uint64_t sum;
    packed_member *stored =
        kiln_arena_alloc_zeroed(g->memory, g->count * sizeof *stored, _Alignof(packed_member));
    if (!stored)
        return KILN_NO_MEMORY;
    for (uint32_t i = 0; i < g->count; i++)
        stored[i].stored_size = member_of(g, i)->size;
    kiln_status status = store_with(g, NULL, 0, 0, stored, &sum);
    if (!status && g->setting->group && g->count >= SAMPLES_MIN)
        status = pack_with_dictionary(g, stored, sum);
    for (uint32_t i = 0; !status && i < g->count; i++)
        g->packing->members[g->members[i]] = stored[i];
    return status;
}

/* Compresses all groups, one after the other. `members` has room for the largest one. */
static kiln_status pack_groups(group *g, uint32_t *members)
{
    const writer_member *all = g->writer->members.items;
    const writer_setting *settings = g->writer->settings.items;
    kiln_status status = KILN_OK;
    g->members = members;
    for (uint32_t s = 0; s < g->writer->settings.count && !status; s++) {
        g->setting = &settings[s];
        g->count = 0;
        for (uint32_t i = 0; settings[s].level && i < g->writer->members.count; i++)
            if (all[i].setting == s + 1)
                members[g->count++] = i;
        if (g->count)
            status = pack_group(g);
    }
    return status;
}

kiln_status kiln_writer_pack(const kiln_file_writer *writer, arena *memory, packing *ret_packing)
{
    const writer_member *members = writer->members.items;
    size_t count = writer->members.count, settings = writer->settings.count, largest = 0;
    packing made = {0};
    for (size_t i = 0; i < count; i++)
        if (members[i].setting && members[i].size > largest)
            largest = (size_t)members[i].size;
    made.members = kiln_arena_alloc_zeroed(memory, (count + 1) * sizeof *made.members,
                                           _Alignof(packed_member));
    if (!made.members)
        return KILN_NO_MEMORY;
    *ret_packing = made;
    if (largest == 0)
        return KILN_OK;
    ret_packing->dictionaries = kiln_arena_alloc_zeroed(
        memory, settings * sizeof *made.dictionaries, _Alignof(writer_member));
    group g = {.writer = writer, .memory = memory, .packing = ret_packing};
    g.scratch = kiln_arena_alloc(memory, largest, 1);
    uint32_t *numbers = kiln_arena_alloc_array(memory, count, sizeof(uint32_t), sizeof(uint32_t));
    if (!ret_packing->dictionaries || !g.scratch || !numbers)
        return KILN_NO_MEMORY;
    return pack_groups(&g, numbers);
}
