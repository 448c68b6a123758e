/* Builds a file of spells without YAML: make FILE */
#include "spell.h"

#include <kiln/kiln_build.h>

#include <errno.h>
#include <stdio.h>

static int failed(const kiln_error *error)
{
    char text[KILN_ERROR_TEXT_SIZE];
    kiln_error_format(error, text, sizeof text);
    fprintf(stderr, "make: %s\n", text);
    return 1;
}

static bool write_bytes(void *ctx, const void *data, size_t size)
{
    return fwrite(data, 1, size, (FILE *)ctx) == size;
}

/* The builder stores its first error, and magic_Spell_finish returns it, so the calls before need
 * no checks. */
static kiln_status make_spell(kiln_builder *builder, const kiln_types *types, kiln_buffer *ret_blob,
                              kiln_error *reterr)
{
    magic_Spell *spell = magic_Spell_new(builder);
    if (!spell)
        return kiln_fail(reterr, kiln_builder_status(builder), 0, NULL);
    spell->school = magic_School_ice;
    spell->mana = 12;
    magic_Spell_set_title(builder, spell, "Hail", 4);
    kiln_string_view words = magic_Spell_new_words(builder, spell, 2);
    kiln_string_view_set(words, 0, "tace", 4);
    kiln_string_view_set(words, 1, "grando", 6);
    magic_Spell_ref *counters = magic_Spell_new_counters(builder, spell);
    if (counters)
        counters->id = kiln_asset_id("Spell/thaw", 10);
    return magic_Spell_finish(builder, types, true, ret_blob, reterr);
}

/* Adds one spell under two names; the file contains its bytes once. */
static kiln_status make_file(kiln_builder *builder, kiln_file_writer *writer,
                             const kiln_types *types, FILE *stream, kiln_error *reterr)
{
    kiln_buffer blob = {0};
    uint32_t type = kiln_types_find(types, "magic.Spell");
    kiln_status status = make_spell(builder, types, &blob, reterr);
    if (status == KILN_OK)
        status = kiln_file_writer_add(writer, "Spell/hail", type, kiln_buffer_span(&blob), reterr);
    if (status == KILN_OK)
        status = kiln_file_writer_add(writer, "Spell/thaw", type, kiln_buffer_span(&blob), reterr);
    if (status == KILN_OK)
        status = kiln_file_writer_finish(writer, write_bytes, stream, reterr);
    kiln_buffer_fini(&blob);
    return status;
}

int main(int argc, char **argv)
{
    kiln_builder_def builder_def = kiln_builder_def_default();
    kiln_file_writer_def writer_def = kiln_file_writer_def_default();
    kiln_types *types = NULL;
    kiln_builder *builder = NULL;
    kiln_file_writer *writer = NULL;
    kiln_error error = {KILN_OK, 0, 0, ""};
    if (argc != 2) {
        fprintf(stderr, "usage: make FILE\n");
        return 2;
    }
    FILE *stream = fopen(argv[1], "wb");
    if (!stream) {
        kiln_fail_system(&error, errno, argv[1]);
        return failed(&error);
    }
    kiln_status status = magic_types_create(NULL, &types, &error);
    builder_def.types = writer_def.types = types;
    if (status == KILN_OK)
        status = kiln_fail(&error, kiln_builder_create(&builder_def, &builder), 0, NULL);
    if (status == KILN_OK)
        status = kiln_file_writer_create(&writer_def, &writer, &error);
    if (status == KILN_OK)
        status = make_file(builder, writer, types, stream, &error);
    kiln_file_writer_destroy(writer);
    kiln_builder_destroy(builder);
    kiln_types_destroy(types);
    if (fclose(stream) != 0 && status == KILN_OK)
        status = kiln_fail_system(&error, errno, argv[1]);
    if (status == KILN_OK)
        return 0;
    remove(argv[1]); /* an incomplete file is useless */
    return failed(&error);
}
