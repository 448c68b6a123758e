/* Shared by the tests of values: prints a value as text, and checks tables of values under one
 * schema. */
#ifndef VALUE_FIXTURE_H
#define VALUE_FIXTURE_H

#include "bake_fixture.h"

#include <kiln/blob_header.h>
#include <kiln/value.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Prints a value in a compact form for comparison with the rows of a table. */
static inline void show(const kiln_value *value, FILE *out);

static inline void show_children(const kiln_value *value, FILE *out)
{
    bool named = value->of->kind == KILN_KIND_STRUCT, map = value->of->kind == KILN_KIND_MAP;
    fputs(named || map ? "{" : "[", out);
    for (uint32_t i = 0; i < kiln_value_count(value); i++) {
        kiln_value child, key;
        if (i > 0)
            fputs(" ", out);
        if (named)
            fprintf(out, "%s:", value->of->members[i].name);
        if (map) {
            assert_int_equal(kiln_value_key(value, i, &key), KILN_OK);
            show(&key, out);
            fputs(":", out);
        }
        assert_int_equal(kiln_value_at(value, i, &child), KILN_OK);
        show(&child, out);
    }
    fputs(named || map ? "}" : "]", out);
}

static inline void show_text(const kiln_value *value, FILE *out)
{
    const char *text;
    uint32_t length;
    assert_int_equal(kiln_value_text(value, &text, &length), KILN_OK);
    fputs(value->of->kind == KILN_KIND_STRING ? "'" : "<", out);
    for (uint32_t i = 0; i < length; i++)
        fprintf(out, value->of->kind == KILN_KIND_STRING ? "%c" : "%02x", (unsigned char)text[i]);
    fputs(value->of->kind == KILN_KIND_STRING ? "'" : ">", out);
}

static inline void show_chosen(const kiln_value *value, FILE *out)
{
    const kiln_member *member = kiln_value_member(value);
    kiln_value child;
    if (value->of->kind == KILN_KIND_UNION && member)
        fprintf(out, "%s ", member->name);
    if (kiln_value_count(value) == 0) {
        fputs("~", out);
        return;
    }
    assert_int_equal(kiln_value_at(value, 0, &child), KILN_OK);
    show(&child, out);
}

static inline void show(const kiln_value *value, FILE *out)
{
    const kiln_member *member = kiln_value_member(value);
    switch (value->of->kind) {
    case KILN_KIND_STRING:
    case KILN_KIND_BYTES:
        show_text(value, out);
        break;
    case KILN_KIND_F32:
    case KILN_KIND_F64:
        fprintf(out, "%g", kiln_value_float(value));
        break;
    case KILN_KIND_ENUM:
        fputs(member->name, out);
        break;
    case KILN_KIND_OPTIONAL:
    case KILN_KIND_UNION:
        show_chosen(value, out);
        break;
    case KILN_KIND_STRUCT:
    case KILN_KIND_ARRAY:
    case KILN_KIND_MAP:
    case KILN_KIND_FIXED:
        show_children(value, out);
        break;
    case KILN_KIND_REF:
        fprintf(out, "#%08x", (unsigned)(kiln_value_uint(value) >> 32));
        break;
    default:
        if (kiln_kind_is_signed(value->of->kind))
            fprintf(out, "%lld", (long long)kiln_value_int(value));
        else
            fprintf(out, "%llu", (unsigned long long)kiln_value_uint(value));
    }
}

/* Bakes `yaml` as the asset `Root/x` of the schema. Returns the value as text, or the diagnostics;
 * the caller frees the string. */
static inline char *bake(fixture_schema *f, const char *yaml, bool *ret_ok)
{
    uint32_t source = bake_diagnostics_add_source(f->diagnostics, "x.yaml", yaml, strlen(yaml));
    bake_tree *tree = bake_tree_read(f->diagnostics, source, yaml, strlen(yaml));
    bake_values *values = bake_values_create(f->schema, f->diagnostics, &f->failure);
    assert_non_null(tree);
    assert_non_null(values);
    bake_name name;
    kiln_buffer blob;
    memset(&name, 0, sizeof name);
    name.name = "Root/x";
    name.length = 6;
    name.type = kiln_types_find(f->schema->types, "Root");
    bool sound = bake_diagnostics_errors(f->diagnostics) == 0;
    *ret_ok = sound && bake_values_read(values, tree, bake_tree_document(tree, 0), &name, NULL) &&
              bake_values_finish(values, &name, NULL, &blob);
    char *text = NULL;
    if (*ret_ok) {
        size_t size = 0;
        kiln_blob_header header;
        kiln_value root;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        assert_int_equal(kiln_header_read(blob.data, blob.size, &header, NULL), KILN_OK);
        assert_int_equal(kiln_value_root(f->schema->types, name.type,
                                         blob.data + kiln_header_payload_at(&header),
                                         (size_t)header.payload_size, &root),
                         KILN_OK);
        show(&root, out);
        fclose(out);
        kiln_buffer_fini(&blob);
    } else {
        text = fixture_said(f);
    }
    assert_int_equal(f->failure.result, BAKE_OK);
    bake_values_destroy(values);
    bake_tree_destroy(tree);
    return text;
}

/* The type of a single field `v`, the YAML of its value, and the value as text or part of the
 * diagnostics. */
typedef struct row {
    const char *type, *yaml, *expected;
} row;

static inline void check_rows(const char *types, const row *rows, size_t count, bool ok_expected)
{
    for (size_t i = 0; i < count; i++) {
        char schema[4096], yaml[512];
        bool is_field = rows[i].type[0] == '{', ok;
        fixture_schema f;
        snprintf(schema, sizeof schema,
                 "kiln: 1\ntypes:\n%s  Root: {struct: {v: %s%s%s}, asset: true}\n", types,
                 is_field ? "" : "\"", rows[i].type, is_field ? "" : "\"");
        snprintf(yaml, sizeof yaml, "%s%s\n",
                 rows[i].yaml[0] == '-' && rows[i].yaml[1] == '\0' ? "{}" : "v: ",
                 rows[i].yaml[0] == '-' && rows[i].yaml[1] == '\0' ? "" : rows[i].yaml);
        fixture_write("s.yaml", schema);
        fixture_schema_init(&f, "s.yaml");
        if (f.result != BAKE_OK)
            fail_msg("schema of row %zu: %s", i, fixture_said(&f));
        char *text = bake(&f, yaml, &ok);
        char whole[512];
        snprintf(whole, sizeof whole, "{v:%s}", rows[i].expected);
        bool good = ok == ok_expected &&
                    (ok ? strcmp(text, whole) == 0 : strstr(text, rows[i].expected) != NULL);
        if (!good)
            fail_msg("%s, %s: expected %s, got %s", rows[i].type, yaml, rows[i].expected, text);
        free(text);
        fixture_schema_fini(&f);
    }
}

#endif
