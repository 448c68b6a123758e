/* A program outside the tree that uses the installed library: makes a file without YAML, opens it
 * and prints its content. It also compiles as C++. */
#include <kiln/allocator.h>
#include <kiln/blob_header.h>
#include <kiln/builder.h>
#include <kiln/file.h>
#include <kiln/file_writer.h>
#include <kiln/index.h>
#include <kiln/kiln.h>
#include <kiln/kiln_build.h>
#include <kiln/path.h>
#include <kiln/relative.h>
#include <kiln/status.h>
#include <kiln/type_table.h>
#include <kiln/types.h>
#include <kiln/value.h>
#include <kiln/verify.h>
#include <stdio.h>
#include <string.h>

typedef struct greeting {
    kiln_string text;
    uint32_t times;
} greeting;

static int failed(const char *what, const kiln_error *error)
{
    fprintf(stderr, "%s: %s %s\n", what, kiln_status_text(error->status), error->path);
    return 1;
}

static kiln_types *make_types(kiln_error *reterr)
{
    kiln_type types[3];
    kiln_member fields[2];
    memset(types, 0, sizeof types);
    memset(fields, 0, sizeof fields);
    for (int i = 0; i < 3; i++)
        types[i].element = types[i].key = KILN_TYPE_NONE;
    types[0].kind = KILN_KIND_STRING;
    types[1].kind = KILN_KIND_U32;
    types[2].kind = KILN_KIND_STRUCT;
    types[2].name = "demo.Greeting";
    types[2].flags = KILN_TYPE_ASSET;
    types[2].members = fields;
    types[2].member_count = 2;
    fields[0].name = "text";
    fields[1].name = "times";
    fields[1].type = 1;
    kiln_types *made = NULL;
    kiln_types_create(NULL, types, 3, &made, reterr);
    return made;
}

static kiln_status make_blob(const kiln_types *types, kiln_buffer *ret_blob, kiln_error *reterr)
{
    kiln_builder_def def = kiln_builder_def_default();
    def.types = types;
    kiln_builder *builder = NULL;
    kiln_status status = kiln_builder_create(&def, &builder);
    if (status != KILN_OK)
        return kiln_fail(reterr, status, 0, NULL);
    greeting *root = (greeting *)kiln_builder_root(builder, (uint32_t)sizeof(greeting), 4);
    if (root && kiln_builder_string(builder, &root->text, "hello", 5))
        root->times = 3;
    status = kiln_builder_finish(builder, 2, KILN_FLAG_CANONICAL, ret_blob, reterr);
    kiln_builder_destroy(builder);
    return status;
}

static kiln_status make_file(const kiln_types *types, const kiln_buffer *blob,
                             kiln_buffer *ret_file, kiln_error *reterr)
{
    kiln_file_writer_def def = kiln_file_writer_def_default();
    def.types = types;
    kiln_file_writer *writer = NULL;
    kiln_status status = kiln_file_writer_create(&def, &writer, reterr);
    if (status == KILN_OK)
        status = kiln_file_writer_add(writer, "Greeting/first", 2, kiln_buffer_span(blob), reterr);
    if (status == KILN_OK)
        status = kiln_file_writer_finish_buffer(writer, ret_file, reterr);
    kiln_file_writer_destroy(writer);
    return status;
}

static int print_from(const kiln_buffer *image, uint64_t layout)
{
    kiln_file_def def = kiln_file_def_default();
    def.data = image->data;
    def.size = image->size;
    kiln_file *file = NULL;
    kiln_error error;
    if (kiln_file_open(&def, &file, &error) != KILN_OK)
        return failed("open", &error);
    kiln_root_type type = {"demo.Greeting", layout};
    kiln_asset first = kiln_file_find(file, "Greeting/first");
    const greeting *found = (const greeting *)kiln_file_root(file, first, &type, &error);
    if (!found)
        return failed("root", &error);
    printf("%s says %s %u times\n", kiln_file_asset_name(file, first),
           kiln_string_get(&found->text), (unsigned)found->times);
    kiln_file_close(file);
    return 0;
}

int main(void)
{
    kiln_error error;
    kiln_types *types = make_types(&error);
    if (!types)
        return failed("types", &error);
    kiln_buffer blob, image;
    memset(&blob, 0, sizeof blob);
    memset(&image, 0, sizeof image);
    if (make_blob(types, &blob, &error) != KILN_OK)
        return failed("blob", &error);
    if (make_file(types, &blob, &image, &error) != KILN_OK)
        return failed("file", &error);
    int status = print_from(&image, kiln_types_get(types, 2)->layout);
    kiln_buffer_fini(&image);
    kiln_buffer_fini(&blob);
    kiln_types_destroy(types);
    return status;
}
