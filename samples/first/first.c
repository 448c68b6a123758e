#include "spell.h"

#include <inttypes.h>
#include <kiln/file.h>
#include <stdio.h>

static int failed(const kiln_error *error)
{
    char text[KILN_ERROR_TEXT_SIZE];
    kiln_error_format(error, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return 1;
}

int main(int argc, char **argv)
{
    kiln_file_def def = kiln_file_def_default();
    kiln_file *file = NULL;
    kiln_error error;

    def.path = argc > 1 ? argv[1] : "spells.kiln";
    if (kiln_file_open(&def, &file, &error) != KILN_OK)
        return failed(&error);
    const magic_Spell *thaw = magic_Spell_find(file, "Spell/thaw", &error);
    if (!thaw) {
        kiln_file_close(file);
        return failed(&error);
    }
    printf("%s costs %" PRIu16 " mana. Say:\n", kiln_string_get(&thaw->title), thaw->mana);
    for (uint32_t i = 0; i < thaw->words.count; i++)
        printf("  %s\n", kiln_string_get(kiln_string_array_at(&thaw->words, i)));
    kiln_file_close(file);
    return 0;
}
