/* Reads a source map (SOURCE-MAP.md) and searches it line by line.
 *
 * `check` validates every line, so the searches need no further checks. A search takes time linear
 * in the size of the map. There is no index, because one run looks up one value or the few values
 * that own a byte. */
#include "insp_origins.h"

#include "insp_memory.h"

#include <kiln/limits.h>
#include <string.h>

enum { HASH_DIGITS = 16 };

static const char name[] = "kiln-source-map\t", version[] = "3\n";

bool insp_origins_next(const insp_origins *o, const char *at, insp_origin_line *ret_line)
{
    const char *end = o->text + o->size, *line_end;
    int field = -1;
    if (at >= end)
        return false;
    line_end = memchr(at, '\n', (size_t)(end - at));
    *ret_line = (insp_origin_line){.what = *at, .next = line_end ? line_end + 1 : end};
    if (!line_end)
        line_end = end;
    while (at <= line_end) {
        const char *tab = at < line_end ? memchr(at, '\t', (size_t)(line_end - at)) : NULL;
        const char *stop = tab ? tab : line_end;
        if (field >= 0 && field < 3)
            ret_line->fields[field] = (insp_text){at, (uint32_t)(stop - at)};
        field++;
        at = stop + 1;
    }
    for (field = field < 0 ? 0 : field; field < 3; field++)
        ret_line->fields[field].data = line_end;
    return true;
}

static bool read_number(const char **at, const char *end, char stop, uint32_t *ret_number)
{
    const char *from = *at;
    uint64_t number = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
        number = number * 10 + (uint64_t)(**at - '0');
        if (number > UINT32_MAX)
            return false;
    }
    *ret_number = (uint32_t)number;
    if (*at == from || (stop ? *at >= end || **at != stop : *at != end))
        return false;
    *at += stop != 0;
    return true;
}

static bool read_place(insp_text field, insp_origin_place *place)
{
    const char *at = field.data, *end = field.data + field.length;
    return read_number(&at, end, ':', &place->file) && read_number(&at, end, ':', &place->line) &&
           read_number(&at, end, ':', &place->column) && read_number(&at, end, 0, &place->length) &&
           place->line > 0 && place->column > 0;
}

insp_origin_place insp_origin_place_of(insp_text field)
{
    insp_origin_place place = {0};
    read_place(field, &place);
    return place;
}

insp_text insp_origins_file(const insp_origins *o, uint32_t number)
{
    insp_text none = {"?", 1};
    return number < o->file_count ? o->files[number] : none;
}

static bool is_place(const insp_origins *o, insp_text field)
{
    insp_origin_place place;
    return read_place(field, &place) && place.file < o->file_count;
}

static bool is_path(insp_text field)
{
    return !field.length || field.data[0] == '.' || field.data[0] == '[' || field.data[0] == '#';
}

/* Adds a file; files must be numbered in order. Returns false if memory runs out. `*ret_good` is
 * false if the line is invalid. */
static bool add_file(insp_origins *o, const insp_origin_line *line, bool *ret_good)
{
    const char *at = line->fields[0].data;
    uint32_t number;
    insp_text *files;
    *ret_good = read_number(&at, at + line->fields[0].length, 0, &number) &&
                number == o->file_count && line->fields[1].length;
    if (!*ret_good)
        return true;
    files = insp_grow(o->files, &o->file_capacity, o->file_count + 1, sizeof *files);
    if (!files)
        return false;
    o->files = files;
    files[o->file_count++] = line->fields[1];
    return true;
}

/* Parses exactly 16 hexadecimal digits. */
static bool read_hash(insp_text field, uint64_t *ret_hash)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t i;
    *ret_hash = 0;
    for (i = 0; i < field.length && i < HASH_DIGITS; i++) {
        const char *digit = field.data[i] ? strchr(digits, field.data[i]) : NULL;
        if (!digit)
            return false;
        *ret_hash = *ret_hash << 4 | (uint64_t)(digit - digits);
    }
    return field.length == HASH_DIGITS;
}

/* Whether a line may follow a line of kind `before`. V and D lines belong to an A line, K and L
 * lines belong to a V line, and only H lines may follow H lines. */
static bool can_follow(const insp_origins *o, const insp_origin_line *line, char before)
{
    bool in_value = before == 'V' || before == 'K' || before == 'L';
    uint64_t hash;
    if (before == 'H' && line->what != 'H')
        return false;
    switch (line->what) {
    case 'A':
        return line->fields[0].length > 0;
    case 'V':
        return before != 'F' && before && is_path(line->fields[0]) &&
               is_place(o, line->fields[1]) && line->fields[2].length;
    case 'K':
        return before == 'V' && is_place(o, line->fields[0]);
    case 'L':
        return in_value && is_place(o, line->fields[0]) && line->fields[1].length;
    case 'D':
        return before != 'F' && before && is_path(line->fields[0]) && is_path(line->fields[1]) &&
               line->fields[1].length;
    case 'H':
        return read_hash(line->fields[0], &hash);
    default:
        return false;
    }
}

/* Checks all lines. Every line must end with a line feed, and a tab must follow its letter. */
static insp_origins_status check(insp_origins *o, size_t *ret_line)
{
    const char *at = o->text + o->first, *end = o->text + o->size;
    char before = 0;
    insp_origin_line line;
    for (*ret_line = 2; insp_origins_next(o, at, &line); ++*ret_line) {
        bool good = line.next[-1] == '\n' && line.next - at > 2 && at[1] == '\t';
        if (good && line.what == 'F' && before != 'H') {
            if (!add_file(o, &line, &good))
                return INSP_ORIGINS_NO_MEMORY;
        } else {
            good = good && can_follow(o, &line, before);
        }
        if (!good)
            return INSP_ORIGINS_BROKEN;
        /* H lines come last, so a map without H lines was truncated. */
        if (line.what == 'H' && before != 'H')
            o->bindings = at;
        before = line.what;
        at = line.next;
    }
    return at == end && o->bindings ? INSP_ORIGINS_OK : INSP_ORIGINS_BROKEN;
}

insp_origins_status insp_origins_init(insp_origins *o, char *text, size_t size, size_t *ret_line)
{
    size_t length = sizeof name - 1;
    *o = (insp_origins){.text = text, .size = size};
    if (size < length || memcmp(text, name, length) != 0)
        return INSP_ORIGINS_NONE;
    if (size < length + sizeof version - 1 ||
        memcmp(text + length, version, sizeof version - 1) != 0)
        return INSP_ORIGINS_VERSION;
    o->first = length + sizeof version - 1;
    /* The length of a field has 32 bits. */
    if (size > KILN_SOURCE_MAP_MAX)
        return INSP_ORIGINS_NO_MEMORY;
    return check(o, ret_line);
}

bool insp_origins_is_of(const insp_origins *o, uint64_t hash)
{
    const char *at = o->bindings;
    insp_origin_line line;
    uint64_t known;
    for (; insp_origins_next(o, at, &line); at = line.next)
        if (read_hash(line.fields[0], &known) && known == hash)
            return true;
    return false;
}

void insp_origins_fini(insp_origins *o)
{
    insp_free(o->text);
    insp_free(o->files);
    *o = (insp_origins){0};
}

/* Whether the value at `inner` is the value at `outer` or a part of it. */
static bool is_within(insp_text outer, const char *inner, size_t length)
{
    return outer.length <= length && memcmp(outer.data, inner, outer.length) == 0 &&
           (outer.length == length || inner[outer.length] == '.' || inner[outer.length] == '[' ||
            (outer.length == 0 && inner[0] == '#'));
}

bool insp_origins_find(const insp_origins *o, insp_text asset, const char *path,
                       insp_origin_line *ret_line, bool *ret_exact)
{
    const char *at = o->text + o->first;
    size_t length = strlen(path);
    insp_origin_line line;
    bool here = false, found = false;
    /* The longest path that contains `path` is that of the innermost value with a V line. */
    for (; insp_origins_next(o, at, &line); at = line.next) {
        if (line.what == 'A')
            here = insp_text_is_same(line.fields[0], asset);
        if (!here || line.what != 'V' || !is_within(line.fields[0], path, length) ||
            (found && line.fields[0].length <= ret_line->fields[0].length))
            continue;
        *ret_line = line;
        found = true;
    }
    *ret_exact = found && ret_line->fields[0].length == length;
    return found;
}

bool insp_origins_next_user(const insp_origins *o, insp_text scene, const char *path,
                            const char **at, insp_text *ret_path, const char **ret_rest)
{
    size_t length = strlen(path);
    const char *from = *at ? *at : o->text + o->first;
    insp_origin_line line;
    bool here = *at != NULL;
    for (; insp_origins_next(o, from, &line); from = line.next) {
        if (line.what == 'A')
            here = insp_text_is_same(line.fields[0], scene);
        if (!here || line.what != 'D' || !is_within(line.fields[1], path, length))
            continue;
        *at = line.next;
        *ret_path = line.fields[0];
        *ret_rest = path + line.fields[1].length;
        return true;
    }
    return false;
}
