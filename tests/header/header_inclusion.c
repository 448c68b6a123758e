/* This file is only compiled, as C and C++, by many compilers. With FIRST, two generated headers
 * are the first includes of a program. The other cases simulate a compiler without __has_include:
 * ALONE uses one header, BEFORE includes all dependencies before the headers, and AGAIN includes
 * them after the headers, and then the headers again. */
#ifdef BEFORE
#include <kiln/builder.h>
#include <kiln/file.h>
#ifdef __cplusplus
#include <kiln/owned.h>
#endif
#include <kiln/type_table.h>
#endif
#include "game.h"
#include "town.h"
#ifdef AGAIN
#include <kiln/builder.h>
#include <kiln/file.h>
#ifdef __cplusplus
#include <kiln/owned.h>
#endif
#include <kiln/type_table.h>

#include "game.h"
#include "town.h"
#endif

#include <kiln/chunk_layout.h>

extern const kiln_component_desc header_components[2];
const kiln_component_desc header_components[2] = {game_Vec3_COMPONENT, game_Spawner_COMPONENT};

int header_reads(const game_Item *item);
int header_reads(const game_Item *item)
{
    return item->price > kiln_u32_array_data(&item->numbers)[0];
}

#if defined(__cplusplus) && !defined(ALONE)
bool header_owns(const game_Item_owned &item);
bool header_owns(const game_Item_owned &item)
{
    return item && item->price > 0;
}
#endif

#ifndef ALONE
int header_builds(kiln_builder *builder, kiln_file *file);
int header_builds(kiln_builder *builder, kiln_file *file)
{
    game_Item *item = game_Item_new(builder);
    (void)game_types_create;
    return game_Item_set_name(builder, item, "x", 1) &&
           game_Item_find(file, "Item/x", NULL) != NULL;
}
#endif
