/* Tries the quick reader first. If that reader gives up for any reason, libyaml reads the source
 * from the start, and only libyaml's run reports errors. So both readers must agree on every source
 * that the quick one accepts; tests and fuzzers compare them. */
#include "bake_memory.h"
#include "excerpt.h"
#include "tree_events.h"
#include "tree_quick.h"

#define SIZE_LIMIT ((size_t)1 << 30)

/* libyaml compares each tag of a document with each of its tag handles, and the handles with each
 * other, so many handles would take quadratic time. */
#define HANDLES_MAX 64

/* The first of more than HANDLES_MAX %TAG lines with only comments and empty lines between them;
 * NULL if there are not so many. */
static const char *find_many_handles(const char *text, size_t size)
{
    static const char word[] = "%TAG";
    size_t count = 0;
    const char *first = NULL, *end = text + size;
    for (const char *line = text; line && end - line >= (ptrdiff_t)sizeof word - 1;) {
        const char *line_end = memchr(line, '\n', (size_t)(end - line));
        bool blank = *line == '#' || *line == '\n' || *line == '\r';
        if (memcmp(line, word, sizeof word - 1) == 0) {
            first = count == 0 ? line : first;
            if (++count > HANDLES_MAX)
                return first;
        } else if (!blank) {
            count = 0;
        }
        line = line_end ? line_end + 1 : NULL;
    }
    return NULL;
}

/* The first bytes of files that are passed by mistake. None of them can begin YAML. */
static const struct {
    const char *bytes;
    size_t size;
    const char *what, *hint;
} formats[] = {
    {"KILN", 4, "a kiln file", "`kiln-inspect dump` shows its assets as YAML"},
    {"\x89PNG", 4, "a PNG image", NULL},
    {"\xff\xd8\xff", 3, "a JPEG image", NULL},
    {"GIF8", 4, "a GIF image", NULL},
    {"OggS", 4, "an Ogg file", NULL},
    {"RIFF", 4, "a RIFF file, such as WAV or WebP", NULL},
    {"PK\x03\x04", 4, "a zip archive", NULL},
    {"\x1f\x8b", 2, "a gzip file", NULL},
    {"\x28\xb5\x2f\xfd", 4, "a zstd file", NULL},
    {"\x7f"
     "ELF",
     4, "a program", NULL},
    {"SQLite format 3", 16, "an SQLite database", NULL},
    {"%PDF-", 5, "a PDF document", NULL},
};

/* Rejects another format by name. A text can begin with the letters of a format, so a byte that
 * YAML does not allow must follow soon. */
static bool check_format(bake_diagnostics *diagnostics, uint32_t source, const char *text,
                         size_t size)
{
    enum { LOOK_MAX = 256 };
    bake_mark whole = {.source = source, .length = 1};
    bool is_binary = false;
    for (size_t i = 0; i < size && i < LOOK_MAX && !is_binary; i++)
        is_binary = (unsigned char)text[i] < ' ' && !memchr("\t\n\r", text[i], 3);
    for (size_t i = 0; is_binary && i < sizeof formats / sizeof *formats; i++) {
        if (size < formats[i].size || memcmp(text, formats[i].bytes, formats[i].size) != 0)
            continue;
        bake_report(diagnostics, BAKE_ERROR, whole, "encoding", NULL, "this file is %s, not YAML",
                    formats[i].what);
        if (formats[i].hint)
            bake_hint(diagnostics, "%s", formats[i].hint);
        return false;
    }
    return true;
}

/* Rejects input that libyaml cannot read or would misread. */
static bool check_text(bake_diagnostics *diagnostics, uint32_t source, const char *text,
                       size_t size)
{
    bake_mark whole = {.source = source, .length = 1};
    if (size > SIZE_LIMIT)
        return bake_report(diagnostics, BAKE_ERROR, whole, "size", NULL,
                           "the file is larger than 1 GiB");
    if (size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) {
        bake_report(diagnostics, BAKE_ERROR, whole, "encoding", NULL,
                    "the file is encoded in UTF-16");
        bake_hint(diagnostics, "save the file as UTF-8");
        return false;
    }
    return check_format(diagnostics, source, text, size);
}

bake_tree *bake_tree_create(uint32_t source, const char *text, size_t size)
{
    bake_tree *tree = bake_alloc_array(1, sizeof *tree);
    if (!tree)
        return NULL;
    tree->source = source;
    tree->source_text = text;
    tree->source_size = size;
    /* This estimate is enough for nearly all sources, so the words need not be moved later. */
    size_t guess = size < ((size_t)1 << 26) ? size : (size_t)1 << 26;
    tree->words = bake_block_grow(NULL, &tree->word_capacity, guess / 2 + guess / 8 + 32,
                                  sizeof *tree->words);
    tree->points = bake_points_create(size);
    if (tree->words && tree->points)
        return tree;
    bake_tree_destroy(tree);
    return NULL;
}

static bake_build read_text(bake_tree *tree, bake_diagnostics *diagnostics)
{
    bake_builder *b = bake_alloc(sizeof *b);
    if (!b)
        return BAKE_BUILD_NO_MEMORY;
    bake_builder_init(b, tree, NULL);
    bake_build result = bake_read_quick(b);
    bake_builder_fini(b);
    if (result == BAKE_BUILD_STOPPED) {
        tree->word_count = tree->text_size = tree->document_count = 0;
        /* The cache is keyed by node ids, which are reused now. */
        memset(tree->points->marks, 0, sizeof tree->points->marks);
        const char *handles = find_many_handles(tree->source_text, tree->source_size);
        if (handles) {
            size_t offset = (size_t)(handles - tree->source_text);
            bake_report(diagnostics, BAKE_ERROR,
                        bake_mark_at(tree->source, tree->source_text, tree->source_size, offset),
                        "size", NULL, "more than %d %%TAG lines before a document", HANDLES_MAX);
            bake_free(b);
            return BAKE_BUILD_STOPPED;
        }
        bake_builder_init(b, tree, diagnostics);
        result = bake_read_events(b);
        bake_builder_fini(b);
    }
    bake_free(b);
    return result;
}

bake_tree *bake_tree_read(bake_diagnostics *diagnostics, uint32_t source, const char *text,
                          size_t size)
{
    bool readable = check_text(diagnostics, source, text, size);
    bake_tree *tree = bake_tree_create(source, text, readable ? size : 0);
    bake_build result = tree ? BAKE_BUILD_OK : BAKE_BUILD_NO_MEMORY;
    if (tree && readable) {
        result = read_text(tree, diagnostics);
        tree->complete = result == BAKE_BUILD_OK;
        tree->words = bake_block_trim(tree->words, &tree->word_capacity, tree->word_count,
                                      sizeof *tree->words);
    }
    if (result != BAKE_BUILD_NO_MEMORY)
        return tree;
    bake_report_no_memory(diagnostics);
    bake_tree_destroy(tree);
    return NULL;
}
