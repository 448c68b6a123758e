/* The overall structure of a generated header: first comment, guards, includes, and sections. */
#include "c_header.h"

#include "ascii.h"
#include "c_writer.h"

#include <stdio.h>
#include <string.h>

/* Returns the namespace of the first named type, or "" if there is no type or no namespace. */
static const char *first_namespace(bake_c_writer *w)
{
    for (uint32_t i = 0; i < w->names.count; i++) {
        const char *name = bake_c_type(w, i)->name, *dot = strrchr(name, '.');
        if (*name)
            return dot ? bake_c_name(&w->names, "%.*s", (int)(dot - name), name) : "";
    }
    return "";
}

/* Returns the prefix of file-level names, always a C identifier. */
static const char *file_prefix(bake_c_writer *w, const bake_c_header_options *options)
{
    const char *prefix = options->prefix && *options->prefix ? options->prefix : first_namespace(w);
    if (!*prefix)
        prefix = bake_c_name(&w->names, "%.*s", (int)strcspn(options->guard_name, "."),
                             options->guard_name);
    const char *word = bake_c_name_word(&w->names, prefix);
    if (!*word)
        return "schema";
    return bake_is_digit(*word) ? bake_c_name(&w->names, "_%s", word) : word;
}

static const char *include_guard(bake_c_writer *w, const char *prefix, const char *guard_name)
{
    const char *name = bake_c_name_word(&w->names, guard_name);
    const char *guard = bake_c_name(&w->names, "KILN_GENERATED_%s_%s", prefix, name);
    bake_c_text *text = &w->text;
    /* The end of the output is a temporary buffer for the upper-case name. */
    size_t begin = text->size;
    for (const char *s = guard; *s; s++) {
        char c = bake_upper(*s);
        bake_c_put_bytes(text, &c, 1);
    }
    if (text->failed)
        return "";
    guard = bake_c_name(&w->names, "%.*s", (int)(text->size - begin), text->data + begin);
    text->size = begin;
    return guard;
}

static void put_opening(bake_c_writer *w, const bake_c_header_options *options, const char *types,
                        const char *create)
{
    bool has_source = options->source_name && *options->source_name;
    const char *const parts[] = {
        bake_c_name(&w->names, "Made by kiln-bake%s%s; do not edit.", has_source ? " from " : "",
                    has_source ? options->source_name : ""),
        "The structs lie in memory as a baked file's bytes do. One that holds relative fields "
        "(strings, lists, maps, optionals, unions) means something only at its place there: never "
        "copy it by value, pass pointers to it. In C++ the copy does not compile.",
        "Reading needs <kiln/relative.h> alone. Typed roots come with <kiln/file.h> and builder "
        "calls with <kiln/builder.h>, in C++ owners of assets with <kiln/owned.h>, which are "
        "included where they are found; a compiler without __has_include wants them included "
        "before.",
        options->type_table
            ? bake_c_name(&w->names,
                          "%s gives the type table of all this, for `types` of kiln_file_def; "
                          "%s the types that a builder wants.",
                          types, create)
            : NULL};
    bake_c_put_comment(&w->text, 0, parts, sizeof parts / sizeof *parts);
}

static const char extern_c_begin[] = "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
static const char extern_c_end[] = "\n#ifdef __cplusplus\n}\n#endif\n";

/* Whether the header uses kiln_entity (KILN_KIND_ENTITY) or kiln_ref (KILN_KIND_REF). */
static bool uses_kind(const bake_c_writer *w, kiln_kind kind)
{
    for (uint32_t i = 0; i < w->names.count; i++) {
        const kiln_type *type = bake_c_type(w, i);
        if (kind == KILN_KIND_ENTITY && type->kind == kind)
            return true;
        for (uint32_t m = 0; type->flags & KILN_TYPE_COMPONENT && m < type->member_count; m++) {
            if (bake_c_in_fixed(w, type->members[m].type)->kind == kind)
                return true;
        }
    }
    return false;
}

static void put_includes(bake_c_writer *w)
{
    static const char *const optional[] = {"file", "builder", "type_table"};
    if (uses_kind(w, KILN_KIND_ENTITY))
        bake_c_put(&w->text, "#include <kiln/entity.h>\n");
    if (uses_kind(w, KILN_KIND_REF))
        bake_c_put(&w->text, "#include <kiln/ref.h>\n");
    bake_c_put(&w->text, "#include <kiln/relative.h>\n"
                         "#include <string.h>\n"
                         "\n"
                         "#ifdef __has_include\n");
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++)
        BAKE_C_EMIT(&w->text,
                    "#if __has_include(<kiln/$1.h>)\n"
                    "#include <kiln/$1.h>\n"
                    "#endif\n",
                    optional[i]);
    bake_c_put(&w->text, "#if defined(__cplusplus) && __has_include(<kiln/owned.h>)\n"
                         "#include <kiln/owned.h>\n"
                         "#endif\n"
                         "#endif\n"
                         "\n"
                         "#ifndef KILN_ALIGNOF\n"
                         "#ifdef __cplusplus\n"
                         "#define KILN_ALIGNOF(type) alignof(type)\n"
                         "#else\n"
                         "#define KILN_ALIGNOF(type) _Alignof(type)\n"
                         "#endif\n"
                         "#endif\n");
}

/* Two headers with the same prefix would define this function twice. The #error explains that
 * better than a redefinition error. */
static void put_type_table(bake_c_writer *w, const bake_c_header_options *options,
                           const char *function)
{
    const unsigned char *bytes = options->type_table;
    BAKE_C_EMIT(
        &w->text,
        "\n#ifdef KILN_HAVE_$1\n"
        "#error \"another generated header has $1 too: give one of them a prefix of its own\"\n"
        "#endif\n"
        "#define KILN_HAVE_$1\n"
        "/* The type table: a blob, at a multiple of 16. */\n"
        "static inline const void *$1(size_t *ret_size)\n"
        "{\n"
        "    KILN_ALIGNAS(16) static const unsigned char blob[] = {\n",
        function);
    for (size_t i = 0; i < options->type_table_size; i++) {
        const char *end = i + 1 == options->type_table_size || i % 24 == 23 ? ",\n" : ",";
        bake_c_put_format(&w->text, "%s%u%s", i % 24 == 0 ? "        " : "", bytes[i], end);
    }
    bake_c_put(&w->text, "    };\n"
                         "    if (ret_size)\n"
                         "        *ret_size = sizeof blob;\n"
                         "    return blob;\n"
                         "}\n");
}

/* Begins a section that depends on the header with the include guard `needs`. Without
 * __has_include, programs get the section by including the generated header again after that
 * header. */
static void begin_section(bake_c_writer *w, const char *guard, const char *section,
                          const char *needs)
{
    BAKE_C_EMIT(&w->text, "\n#if defined($1) && !defined($2_$3)\n#define $2_$3\n", needs, guard,
                section);
    bake_c_put(&w->text, extern_c_begin);
}

static void end_section(bake_c_writer *w)
{
    bake_c_put(&w->text, extern_c_end);
    bake_c_put(&w->text, "\n#endif\n");
}

/* Owners are C++ templates, so they must be outside of extern "C". */
static void put_owners(bake_c_writer *w, const char *guard)
{
    BAKE_C_EMIT(&w->text,
                "\n#if defined(__cplusplus) && defined(KILN_OWNED_H) && !defined($1_OWNERS)\n"
                "#define $1_OWNERS\n",
                guard);
    bake_c_write_owners(w);
    bake_c_put(&w->text, "\n#endif\n");
}

static void put_types_create(bake_c_writer *w, const char *types, const char *create)
{
    BAKE_C_EMIT(&w->text,
                "\n/* The types of this header; the caller ends them with kiln_types_destroy. */\n"
                "static inline kiln_status $2(const kiln_allocator *allocator,\n"
                "                                    kiln_types **ret_types, kiln_error *reterr)\n"
                "{\n"
                "    size_t size;\n"
                "    const void *blob = $1(&size);\n"
                "    return kiln_type_table_read(allocator, blob, size, ret_types, reterr);\n"
                "}\n",
                types, create);
}

static void write_header(bake_c_writer *w, const bake_c_header_options *options)
{
    const char *prefix = file_prefix(w, options);
    const char *guard = include_guard(w, prefix, options->guard_name);
    const char *function =
        bake_c_name_unique(&w->names, bake_c_name(&w->names, "%s_types", prefix));
    /* A type can already have one of these names. */
    const char *create =
        bake_c_name_unique(&w->names, bake_c_name(&w->names, "%s_create", function));
    put_opening(w, options, function, create);
    BAKE_C_EMIT(&w->text, "#ifndef $1\n#define $1\n\n", guard);
    put_includes(w);
    bake_c_put(&w->text, extern_c_begin);
    bake_c_write_definitions(w);
    bake_c_write_components(w);
    bake_c_write_accessors(w);
    if (options->type_table)
        put_type_table(w, options, function);
    bake_c_put(&w->text, extern_c_end);
    bake_c_put(&w->text, "\n#endif\n");

    begin_section(w, guard, "ROOTS", "KILN_FILE_H");
    bake_c_write_roots(w);
    end_section(w);
    put_owners(w, guard);
    begin_section(w, guard, "BUILDERS", "KILN_BUILDER_H");
    bake_c_write_builders(w);
    end_section(w);
    if (options->type_table) {
        begin_section(w, guard, "TYPES", "KILN_TYPE_TABLE_H");
        put_types_create(w, function, create);
        end_section(w);
    }
}

kiln_status bake_c_header_write(const kiln_types *types, const bake_c_header_options *options,
                                kiln_write_function *write, void *ctx, kiln_error *reterr)
{
    bake_c_writer w = {.types = types};
    kiln_allocator allocator = options->allocator ? *options->allocator : kiln_allocator_default();
    kiln_status status = bake_c_names_init(&w.names, types, &allocator, reterr);
    bake_c_text_init(&w.text, &allocator);
    if (!status) {
        w.defined_size = (w.names.count + (size_t)1) * sizeof *w.defined;
        w.defined = allocator.alloc(allocator.ctx, w.defined_size, 1);
        if (w.defined) {
            memset(w.defined, 0, w.defined_size);
            write_header(&w, options);
        }
        /* Allocation failures in names and text are sticky, so one check before writing is
         * enough. */
        if (!w.defined || w.names.failed || w.text.failed)
            status = kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
        else if (!write(ctx, w.text.data, w.text.size))
            status = kiln_fail(reterr, KILN_IO, 0, NULL);
    }
    if (w.defined)
        allocator.free(allocator.ctx, w.defined, w.defined_size);
    bake_c_text_fini(&w.text);
    bake_c_names_fini(&w.names);
    return status;
}
