/* Opens the baked game and prints some of its assets. Every value is read in place from the mapped
 * file. */
#include <kiln/file.h>

#include "game.h"

#include <stdio.h>

/* Prints the number of items, and the most expensive item of each kind. */
static void print_items(kiln_file *file)
{
    const game_Item *dearest[game_ItemKind_charm + 1] = {0};
    unsigned count = 0;
    for (uint32_t i = 0; i < kiln_file_asset_count(file); i++) {
        const game_Item *item = game_Item_root(file, kiln_file_asset_at(file, i), NULL);
        if (!item)
            continue; /* not an item */
        count++;
        if (!dearest[item->kind] || item->price > dearest[item->kind]->price)
            dearest[item->kind] = item;
    }
    printf("%u items; the most expensive of each kind:\n", count);
    for (game_ItemKind kind = 0; kind <= game_ItemKind_charm; kind++)
        if (dearest[kind])
            printf("  %-8s  %s, %u shells\n", game_ItemKind_name(kind),
                   kiln_string_get(&dearest[kind]->name), dearest[kind]->price);
}

static const char *item_name(kiln_file *file, game_Item_ref ref)
{
    const game_Item *item = game_Item_ref_get(file, ref, NULL);
    return item ? kiln_string_get(&item->name) : "?";
}

static void print_recipe(kiln_file *file, const game_Recipe *recipe)
{
    printf("\n%s:", item_name(file, recipe->makes));
    for (uint32_t i = 0; i < recipe->needs.count; i++) {
        const game_Item_ref_u16_map_entry *need = game_Item_ref_u16_map_at(&recipe->needs, i);
        printf("%s %u %s", i ? "," : "", need->value, item_name(file, need->key));
    }
    for (uint32_t i = 0; i < recipe->firing.count; i++) {
        const kiln_f32_i16_map_entry *step = kiln_f32_i16_map_at(&recipe->firing, i);
        printf("\n  after %4.1f hours %4d degrees", (double)step->key, step->value);
    }
}

static void print_level(kiln_file *file, const game_Level *level)
{
    printf("\n\n%s:\n", kiln_string_get(&level->name));
    for (uint32_t i = 0; i < level->spawns.count; i++) {
        const game_Spawn *spawn = game_Spawn_array_at(&level->spawns, i);
        const game_Creature *creature = game_Creature_ref_get(file, spawn->creature, NULL);
        const shapes_Vec2_array *patrol = shapes_Vec2_array_optional_get(&spawn->patrol);
        printf("  %u %s at %g %g %g, %s\n", spawn->count,
               creature ? kiln_string_get(&creature->name) : "?", (double)spawn->at.x,
               (double)spawn->at.y, (double)spawn->at.z, patrol ? "walks about" : "stays");
    }
}

static void print_line(kiln_file *file, const game_Line *line, int depth)
{
    printf("%*s\"%s\"\n", depth, "", kiln_string_get(&line->says));
    for (uint32_t i = 0; i < line->choices.count; i++) {
        const game_Choice *choice = game_Choice_array_at(&line->choices, i);
        const game_Item_ref *gift = game_Effect_get_give(&choice->then);
        const game_Line *next = game_Line_optional_get(&choice->next);
        printf("%*s> %s%s%s\n", depth, "", kiln_string_get(&choice->text), gift ? " + " : "",
               gift ? item_name(file, *gift) : "");
        if (next)
            print_line(file, next, depth + 4);
    }
}

int main(int argc, char **argv)
{
    kiln_file *file = NULL;
    kiln_error error;
    kiln_file_def def = kiln_file_def_default();
    def.path = argc > 1 ? argv[1] : "game.kiln";
    kiln_status status = kiln_file_open(&def, &file, &error);
    const game_Settings *settings =
        status ? NULL : game_Settings_find(file, "Settings/main", &error);
    const game_Level *level = settings ? game_Level_ref_get(file, settings->start, &error) : NULL;
    const game_Recipe *recipe = level ? game_Recipe_find(file, "Recipe/moon_jar", &error) : NULL;
    const game_Dialogue *talk = recipe ? game_Dialogue_find(file, "Dialogue/oda", &error) : NULL;
    if (talk) {
        printf("%s\n\n", kiln_string_get(&settings->title));
        print_items(file);
        print_recipe(file, recipe);
        print_level(file, level);
        printf("\n%s:\n", kiln_string_get(&talk->title));
        print_line(file, &talk->first, 2);
    } else {
        char text[KILN_ERROR_TEXT_SIZE];
        kiln_error_format(&error, text, sizeof text);
        fprintf(stderr, "game: %s\n", text);
    }
    kiln_file_close(file);
    return talk ? 0 : 1;
}
