/* Compares the output of each command with a file. `test_inspect_output FOLDER --update` rewrites
 * the files. */
#define _XOPEN_SOURCE 700
#include "inspect_call.h"
#include "sample_clusters.h"
#include "sample_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Files with scenes. */
enum {
    SCENE_FULL = SAMPLE_SCENES + SAMPLE_SCENE_FULL,
    SCENE_UNTYPED = SAMPLE_SCENES + SAMPLE_SCENE_UNTYPED,
    SCENE_PACKED = SAMPLE_SCENES + SAMPLE_SCENE_PACKED,
    SCENE_WRONG = SAMPLE_SCENES + SAMPLE_SCENE_WRONG,
    SCENE_APART = SAMPLE_SCENES + SAMPLE_SCENE_APART,
    SCENE_LONG = SAMPLE_SCENES + SAMPLE_SCENE_LONG,
    SCENE_FOREIGN = SAMPLE_SCENES + SAMPLE_SCENE_FOREIGN,
    SCENE_SHARED = SAMPLE_SCENES + SAMPLE_SCENE_SHARED,
    SCENE_SMALL = SAMPLE_SCENES + SAMPLE_SCENE_SMALL,
    SCENE_ORDERED = SAMPLE_SCENES + SAMPLE_SCENE_ORDERED
};

/* Files with cluster plans. */
enum {
    PLAN_FULL = SAMPLE_CLUSTERS + SAMPLE_CLUSTERS_FULL,
    PLAN_PACKED = SAMPLE_CLUSTERS + SAMPLE_CLUSTERS_PACKED,
    PLAN_UNTYPED = SAMPLE_CLUSTERS + SAMPLE_CLUSTERS_UNTYPED,
    PLAN_OWNERS = SAMPLE_CLUSTERS + SAMPLE_CLUSTERS_OWNERS,
    PLAN_STARTS = SAMPLE_CLUSTERS + SAMPLE_CLUSTERS_STARTS,
    PLAN_NUMBERS = SAMPLE_CLUSTERS + SAMPLE_CLUSTERS_NUMBERS,
    PLAN_NAMED = SAMPLE_CLUSTERS + SAMPLE_CLUSTERS_NAMED,
    PLAN_MANY = SAMPLE_CLUSTERS + SAMPLE_CLUSTERS_MANY
};

static const char *expected_folder;
static bool update;

static const struct {
    const char *name;
    int sample;
    const char *arguments;
} rows[] = {
    {"info", SAMPLE_FULL, "it"},
    {"info_bare", SAMPLE_BARE, "info it"},
    {"info_untyped", SAMPLE_UNTYPED, "info it"},
    {"info_small", SAMPLE_SMALL, "info it"},
    {"ls", SAMPLE_FULL, "ls it"},
    {"ls_pattern", SAMPLE_FULL, "ls it *b*"},
    {"ls_patterns", SAMPLE_FULL, "ls it first Item/s* none Itm/*"},
    {"ls_nothing_fits", SAMPLE_FULL, "ls it nothing*"},
    {"ls_sort_size", SAMPLE_FULL, "ls it --sort size"},
    {"ls_sort_type", SCENE_FULL, "ls it --sort type"},
    {"ls_sort_top", SAMPLE_PACKED, "ls it --sort stored --top 2 -f json"},
    {"ls_type", SCENE_FULL, "ls it --type Scene*"},
    {"ls_no_type", SAMPLE_FULL, "ls it --type Itme"},
    {"ls_size", SAMPLE_FULL, "ls it --min-size 100 --max-size 200"},
    {"ls_wrong_sort", SAMPLE_FULL, "ls it --sort colour"},
    {"ls_json", SAMPLE_FULL, "ls it --format json"},
    {"ls_controls", SAMPLE_CONTROLS, "ls it"},
    {"du", SAMPLE_FULL, "du it"},
    {"du_pattern", SAMPLE_FULL, "du it Item/*"},
    {"du_nothing_fits", SAMPLE_FULL, "du it nothing*"},
    {"du_one_list", SAMPLE_FULL, "du it --by field --top 3"},
    {"du_json", SAMPLE_FULL, "du -f json it"},
    {"du_json_top", SAMPLE_FULL, "du -f json it --by asset --top 1"},
    {"du_packed", SAMPLE_PACKED, "du it"},
    {"du_scenes", SCENE_FULL, "du it"},
    {"du_scenes_packed", SCENE_PACKED, "du it --by scene"},
    {"du_untyped", SAMPLE_UNTYPED, "du it"},
    {"du_bare", SAMPLE_BARE, "du it"},
    {"du_shared_values", SAMPLE_SHARED, "du it"},
    {"du_compare_same", SAMPLE_SMALL, "du it --compare it"},
    {"du_wrong_list", SAMPLE_SMALL, "du it --by color"},
    {"du_top_0", SAMPLE_SMALL, "du it --top 0"},
    {"dump_tree", SAMPLE_FULL, "dump it Item/sword Names/first"},
    {"dump_tree_all", SAMPLE_FULL, "dump --all it Item/sword"},
    {"dump_tree_color", SAMPLE_FULL, "dump --color always it Item/sword"},
    {"dump_yaml", SAMPLE_FULL, "dump --format yaml it"},
    {"dump_json", SAMPLE_FULL, "dump --format=json it"},
    {"dump_flat", SAMPLE_FULL, "dump --flat it"},
    {"dump_flat_one", SAMPLE_FULL, "dump -f flat it Item/shield"},
    {"dump_flat_linked", SAMPLE_LINKED, "dump --flat it"},
    {"dump_flat_untyped", SAMPLE_UNTYPED, "dump --flat it"},
    {"dump_flat_limit", SAMPLE_FULL, "dump --flat --max-bytes 100 it"},
    {"dump_flat_scene", SCENE_SMALL, "dump --flat it"},
    {"dump_flat_scene_wrong", SCENE_WRONG, "dump --flat it"},
    {"dump_flat_scene_apart", SCENE_APART, "dump --flat it"},
    {"usage_flat", SAMPLE_FULL, "ls --flat it"},
    {"dump_controls", SAMPLE_CONTROLS, "dump it"},
    {"dump_controls_yaml", SAMPLE_CONTROLS, "dump -f yaml it"},
    {"dump_controls_json", SAMPLE_CONTROLS, "dump -f json it"},
    {"dump_controls_flat", SAMPLE_CONTROLS, "dump --flat it"},
    {"dump_unknown_asset", SAMPLE_SMALL, "dump it Node/x Node/n"},
    {"dump_untyped", SAMPLE_UNTYPED, "dump it Item/sword"},
    {"dump_bare", SAMPLE_BARE, "dump it"},
    {"dump_not_canonical", SAMPLE_UNSHARED, "dump it"},
    {"dump_limit", SAMPLE_SMALL, "dump --max-bytes 100 it"},
    {"get_string", SAMPLE_FULL, "get it Item/sword.name"},
    {"get_number", SAMPLE_FULL, "get it Item/sword.numbers[3]"},
    {"get_float", SAMPLE_FULL, "get it Item/sword.at.z"},
    {"get_enum", SAMPLE_FULL, "get it Item/sword.rarity"},
    {"get_flags", SAMPLE_FULL, "get it Item/sword.elements"},
    {"get_bytes", SAMPLE_FULL, "get it Item/sword.icon"},
    {"get_ref", SAMPLE_FULL, "get it Item/sword.twin"},
    {"get_map_entry", SAMPLE_FULL, "get it Item/sword.stats[\"hp\"]"},
    {"get_dotted_name", SAMPLE_FULL, "get it Item/a.b/c.name"},
    {"get_struct", SAMPLE_FULL, "get it Item/sword.effect.burn"},
    {"get_list_yaml", SAMPLE_FULL, "get -f yaml it Item/sword.parts"},
    {"get_map_json", SAMPLE_FULL, "get -f json it Item/sword.pairs"},
    {"get_asset", SAMPLE_FULL, "get it Names/first"},
    {"get_scalar_yaml", SAMPLE_FULL, "get -f yaml it Item/sword.note"},
    {"get_scalar_json", SAMPLE_FULL, "get -f json it Item/sword.big"},
    {"get_numbers_yaml", SAMPLE_FULL, "get -f yaml it Item/sword.numbers"},
    {"get_unset", SAMPLE_FULL, "get it Item/shield.effect"},
    {"get_absent", SAMPLE_FULL, "get it Item/shield.note"},
    {"get_no_field", SAMPLE_FULL, "get it Item/sword.effect.burn.smoke"},
    {"get_near_field", SAMPLE_FULL, "get it Item/sword.effect.burn.second"},
    {"get_several", SAMPLE_FULL, "get it Item/sword.price Item/none.x Item/shield.name"},
    {"get_several_json", SAMPLE_FULL, "get -f json it Item/sword.at Item/sword.price"},
    {"get_arrow", SAMPLE_FULL, "get it Item/sword.twin->name"},
    {"get_arrow_root", SAMPLE_FULL, "get -f yaml it Item/sword.twin->"},
    {"get_arrow_from_number", SAMPLE_FULL, "get it Item/sword.price->name"},
    {"get_arrow_from_asset", SAMPLE_FULL, "get it Item/sword->name"},
    {"get_arrow_to_import", SAMPLE_FULL, "get it Item/sword.music->name"},
    {"get_arrow_to_import_mounted", SAMPLE_FULL, "get it Item/sword.music->name --mount more"},
    {"get_arrow_null", SAMPLE_FULL, "get it Item/shield.twin->name"},
    {"get_stop_reference", SAMPLE_FULL, "get it Item/sword.twin.name"},
    {"get_stop_after_arrow", SAMPLE_FULL, "get it Item/sword.twin->twin.name"},
    {"get_stop_number", SAMPLE_FULL, "get it Item/sword.price.low"},
    {"get_stop_element", SAMPLE_FULL, "get it Item/sword.tags[7]"},
    {"get_stop_list", SAMPLE_FULL, "get it Item/sword.tags.first"},
    {"get_stop_empty_list", SAMPLE_FULL, "get it Item/shield.tags[0]"},
    {"get_stop_key_without_quotes", SAMPLE_FULL, "get it Item/sword.stats[hp]"},
    {"get_stop_key_as_field", SAMPLE_FULL, "get it Item/sword.stats.hp"},
    {"get_stop_near_key", SAMPLE_FULL, "get it Item/sword.stats[\"hq\"]"},
    {"get_stop_index_of_struct", SAMPLE_FULL, "get it Item/sword[0]"},
    {"get_stop_alternative", SAMPLE_FULL, "get it Item/sword.effect.damage"},
    {"get_stop_null", SAMPLE_FULL, "get it Item/shield.effect.burn"},
    {"get_stop_syntax", SAMPLE_FULL, "get it Item/sword.tags[1"},
    {"get_mounted", SAMPLE_FULL, "get it --mount more Route/north.stops[1] Item/sword.price"},
    {"get_mount_missing", SAMPLE_FULL, "get it --mount none Item/sword.price"},
    {"get_mount_bare", SAMPLE_BARE, "get more --mount it Route/north.stops[1]"},
    {"get_no_asset", SAMPLE_FULL, "get it Item/none.name"},
    {"get_near_asset", SAMPLE_FULL, "get it Item/swrd.name"},
    {"get_near_dotted_asset", SAMPLE_FULL, "get it Itm/a.b/c.parts[0].name"},
    {"dump_linked", SAMPLE_LINKED, "dump it"},
    {"get_key_by_name", SAMPLE_LINKED, "get it Route/north.by_ship[\"Ship/anna\"]"},
    {"get_key_by_id", SAMPLE_LINKED, "get it Route/north.by_ship[\"ca6aa2a6744d0c7a\"]"},
    {"get_through_wrap", SAMPLE_LINKED, "get it Route/north.stops[1]"},
    {"get_through_root_wrap", SAMPLE_FULL, "get it Names/first[1]"},
    {"hex_linked", SAMPLE_LINKED, "hex it Route/north"},
    {"hex_near_asset", SAMPLE_FULL, "hex it item/sword"},
    {"verify", SAMPLE_FULL, "verify it"},
    {"verify_not_canonical", SAMPLE_UNSHARED, "verify it"},
    {"verify_untyped", SAMPLE_UNTYPED, "verify it"},
    {"verify_bare", SAMPLE_BARE, "verify it"},
    {"verify_types", SAMPLE_TYPES, "verify it"},
    {"hex_small", SAMPLE_SMALL, "hex it"},
    {"hex_asset", SAMPLE_FULL, "hex it Item/sword"},
    {"hex_range", SAMPLE_FULL, "hex it @0x10+0x20"},
    {"hex_range_outside", SAMPLE_SMALL, "hex it @100000"},
    {"hex_color", SAMPLE_SMALL, "hex --color always it"},
    {"hex_untyped", SAMPLE_UNTYPED, "hex it Names/first"},
    {"hex_bare", SAMPLE_BARE, "hex it"},
    {"stats_numbers", SAMPLE_FULL, "stats it Item.price Item.numbers Vec3.x"},
    {"stats_texts", SAMPLE_FULL, "stats it game.Item.name Part.name"},
    {"stats_all_fields", SAMPLE_FULL, "stats it Item.* --top 2"},
    {"stats_json", SAMPLE_FULL, "stats -f json it Item.*"},
    {"stats_components", SCENE_FULL, "stats it *.*"},
    {"stats_packed", SAMPLE_PACKED, "stats it Item.name Item.price"},
    {"stats_no_field", SAMPLE_FULL, "stats it Item.prise Itm.price price Burn.*"},
    {"stats_shared_values", SAMPLE_SHARED, "stats it Node.value"},
    {"stats_untyped", SAMPLE_UNTYPED, "stats it Item.price"},
    {"type", SAMPLE_FULL, "type it"},
    {"type_data", SAMPLE_FULL, "type --data it"},
    {"type_data_packed", SAMPLE_PACKED, "type --data it Item"},
    {"type_data_scene", SCENE_FULL, "type --data it game.*"},
    {"type_data_shared", SAMPLE_SHARED, "type --data it"},
    {"type_one", SAMPLE_FULL, "type it Burn"},
    {"type_patterns", SAMPLE_FULL, "type it *Burn game.P* game.Itm Effct"},
    {"type_none", SAMPLE_FULL, "type it Burns"},
    {"type_table", SAMPLE_TYPES, "type it game.Effect"},
    {"type_untyped", SAMPLE_UNTYPED, "type it"},
    {"ref_null", SAMPLE_SMALL, "ref 0"},
    {"ref_pointer", SAMPLE_SMALL, "ref 0x7f5ad0c01230"},
    {"ref_indirect", SAMPLE_SMALL, "ref 0x7F5AD0C01231"},
    {"ref_weak", SAMPLE_SMALL, "ref 4294967318"},
    {"ref_strong", SAMPLE_SMALL, "ref 0000000300000017"},
    {"ref_last", SAMPLE_SMALL, "ref 18446744073709551615"},
    {"ref_even_version", SAMPLE_SMALL, "ref 0x400000017"},
    {"ref_no_version", SAMPLE_SMALL, "ref 2"},
    {"ref_misaligned_slot", SAMPLE_SMALL, "ref 0x7f5ad0c01235"},
    {"ref_low_slot", SAMPLE_SMALL, "ref 1"},
    {"ref_low_pointer", SAMPLE_SMALL, "ref 4092"},
    {"ref_strong_json", SAMPLE_SMALL, "ref --format json 0x0000000300000017"},
    {"ref_indirect_json", SAMPLE_SMALL, "ref -f json 0x7f5ad0c01235"},
    {"ref_null_json", SAMPLE_SMALL, "ref -f json 0x0"},
    {"ref_too_large", SAMPLE_SMALL, "ref 18446744073709551616"},
    {"ref_too_long", SAMPLE_SMALL, "ref 0x10000000000000000"},
    {"ref_no_digits", SAMPLE_SMALL, "ref 0x"},
    {"ref_not_a_number", SAMPLE_SMALL, "ref 12c4"},
    {"scene", SCENE_FULL, "scene it"},
    {"scene_one", SCENE_SMALL, "scene it Scene/harbour"},
    {"scene_color", SCENE_SMALL, "scene --color always it"},
    {"scene_untyped", SCENE_UNTYPED, "scene it Scene/harbour"},
    {"scene_chunks", SCENE_FULL, "scene --chunks it"},
    {"scene_chunks_packed", SCENE_PACKED, "scene it --chunks Scene/harbour"},
    {"scene_json", SCENE_FULL, "scene --format json it"},
    {"scene_chunks_json", SCENE_FULL, "scene -f json --chunks it"},
    {"scene_none", SAMPLE_FULL, "scene it"},
    {"scene_none_json", SAMPLE_FULL, "scene -f json it"},
    {"scene_bare", SAMPLE_BARE, "scene it"},
    {"scene_unknown", SCENE_FULL, "scene it Scene/harbor"},
    {"scene_no_scene", SCENE_FULL, "scene it Coin/one"},
    {"scene_entity", SCENE_FULL, "scene it Scene/harbour door"},
    {"scene_entity_bare", SCENE_FULL, "scene it Scene/dot 0"},
    {"scene_entity_color", SCENE_FULL, "scene --color always it Scene/harbour door"},
    {"scene_entities", SCENE_FULL, "scene it Scene/harbour 4 5 2 5008 5009 4999"},
    {"scene_entities_packed", SCENE_PACKED, "scene it Scene/harbour 4 5 2 5008 5009 4999"},
    {"scene_entities_untyped", SCENE_UNTYPED, "scene it Scene/harbour door 4 5008 0"},
    {"scene_entities_json", SCENE_FULL, "scene -f json it Scene/harbour door 4 5 5008 0"},
    {"scene_entities_untyped_json", SCENE_UNTYPED, "scene -f json it Scene/harbour 1 4 5"},
    {"scene_entity_named_by_digits", SCENE_FULL, "scene it Scene/harbour 7 6 #7"},
    {"scene_entity_of_number", SCENE_FULL, "scene it Scene/harbour #6"},
    {"scene_entity_none", SCENE_FULL, "scene it Scene/harbour dor #5010 99999999999 # door"},
    {"scene_entity_wrong", SCENE_WRONG, "scene it Scene/harbour #1"},
    {"scene_entity_wrong_json", SCENE_WRONG, "scene -f json it Scene/harbour #1"},
    {"scene_entity_limit", SCENE_FULL, "scene --max-bytes 60 it Scene/harbour door"},
    {"scene_apart", SCENE_APART, "scene --chunks it"},
    {"scene_apart_json", SCENE_APART, "scene --chunks -f json it"},
    {"scene_apart_entity", SCENE_APART, "scene it Scene/harbour door"},
    {"verify_scene_foreign", SCENE_FOREIGN, "verify it"},
    {"scene_foreign_entity", SCENE_FOREIGN, "scene it Scene/harbour door"},
    {"scene_foreign_json", SCENE_FOREIGN, "scene -f json it"},
    {"verify_scene_shared", SCENE_SHARED, "verify it"},
    {"verify_scene_apart", SCENE_APART, "verify it"},
    {"info_scene_apart", SCENE_APART, "info it"},
    {"forecast_apart", SCENE_APART, "forecast it"},
    {"scene_long", SCENE_LONG, "scene it"},
    {"scene_long_all", SCENE_LONG, "scene --all it"},
    {"scene_long_entity", SCENE_LONG, "scene it Scene/long 0"},
    {"forecast", SCENE_FULL, "forecast it"},
    {"forecast_one", SCENE_PACKED, "forecast it Scene/harbour"},
    {"forecast_json", SCENE_FULL, "forecast -f json it"},
    {"forecast_none", SAMPLE_FULL, "forecast it"},
    {"verify_scene", SCENE_FULL, "verify it"},
    {"verify_scene_packed", SCENE_PACKED, "verify it"},
    {"verify_scene_wrong", SCENE_WRONG, "verify it"},
    {"info_scene_wrong", SCENE_WRONG, "info it"},
    {"dump_scene", SCENE_SMALL, "dump it Scene/harbour"},
    {"dump_scene_yaml", SCENE_SMALL, "dump -f yaml it"},
    {"dump_scene_yaml_one", SCENE_SMALL, "dump -f yaml it Scene/dot Coin/one"},
    {"dump_scene_yaml_apart", SCENE_APART, "dump -f yaml it"},
    {"dump_scene_yaml_foreign", SCENE_FOREIGN, "dump -f yaml it Scene/harbour"},
    {"dump_scene_yaml_untyped", SCENE_UNTYPED, "dump -f yaml it"},
    {"dump_scene_yaml_ordered", SCENE_ORDERED, "dump -f yaml it"},
    {"dump_scene_yaml_limit", SCENE_FULL, "dump -f yaml --max-bytes 700 it Scene/harbour"},
    {"dump_scene_yaml_limit_at_once", SCENE_FULL, "dump -f yaml --max-bytes 4 it Scene/harbour"},
    {"clusters", PLAN_FULL, "clusters it"},
    {"clusters_color", PLAN_FULL, "clusters --color always it"},
    {"clusters_json", PLAN_FULL, "clusters -f json it"},
    {"clusters_dot", PLAN_FULL, "clusters -f dot it"},
    {"clusters_packed", PLAN_PACKED, "clusters it"},
    {"clusters_none", SAMPLE_SMALL, "clusters it"},
    {"clusters_none_json", SAMPLE_SMALL, "clusters -f json it"},
    {"clusters_bare", SAMPLE_BARE, "clusters it"},
    {"clusters_owners", PLAN_OWNERS, "clusters it"},
    {"clusters_starts", PLAN_STARTS, "clusters it"},
    {"clusters_numbers", PLAN_NUMBERS, "clusters it"},
    {"clusters_numbers_json", PLAN_NUMBERS, "clusters -f json it"},
    {"clusters_numbers_dot", PLAN_NUMBERS, "clusters -f dot it"},
    {"clusters_named", PLAN_NAMED, "clusters it"},
    {"clusters_limit", PLAN_FULL, "clusters --max-bytes 200 it"},
    {"clusters_long", PLAN_MANY, "clusters --max-bytes 2000 it"},
    {"clusters_root", PLAN_FULL, "clusters it Level/one"},
    {"clusters_shared_root", PLAN_FULL, "clusters it Node/shared"},
    {"clusters_member", PLAN_FULL, "clusters it Node/c"},
    {"clusters_member_json", PLAN_FULL, "clusters -f json it Node/c"},
    {"clusters_lone", PLAN_FULL, "clusters it Node/lone"},
    {"clusters_lone_json", PLAN_FULL, "clusters -f json it Node/lone"},
    {"clusters_never", PLAN_FULL, "clusters it Node/never"},
    {"clusters_free", PLAN_FULL, "clusters it Node/free"},
    {"clusters_freed", PLAN_FULL, "clusters it Node/freed"},
    {"clusters_plan", PLAN_FULL, "clusters it kiln.Clusters/plan"},
    {"clusters_unknown", PLAN_FULL, "clusters it Node/loan"},
    {"clusters_asset_dot", PLAN_FULL, "clusters -f dot it Node/lone"},
    {"verify_clusters", PLAN_FULL, "verify it"},
    {"verify_clusters_untyped", PLAN_UNTYPED, "verify it"},
    {"verify_clusters_owners", PLAN_OWNERS, "verify it"},
    {"verify_clusters_starts", PLAN_STARTS, "verify it"},
    {"verify_clusters_named", PLAN_NAMED, "verify it"},
    {"dump_clusters", PLAN_FULL, "dump it kiln.Clusters/plan"},
    {"dump_clusters_yaml", PLAN_FULL, "dump -f yaml it"},
    {"refs", SAMPLE_FULL, "refs it Item/sword Item/none shield"},
    {"refs_json", SAMPLE_FULL, "refs -f json it Item/*"},
    {"refs_dot", SAMPLE_FULL, "refs -f dot it Item/*"},
    {"refs_color", SAMPLE_FULL, "refs --color always it Item/sword"},
    {"refs_of_keys", SAMPLE_LINKED, "refs it Route/north"},
    {"refs_of_nothing", SAMPLE_FULL, "refs -f json it Names/first"},
    {"refs_of_import", SAMPLE_FULL, "refs it Music/theme"},
    {"refs_untyped", SAMPLE_UNTYPED, "refs it Item/*"},
    {"refs_untyped_json", SAMPLE_UNTYPED, "refs -f json it Item/*"},
    {"refs_mounted", SAMPLE_FULL, "refs it --mount more Item/sword north"},
    {"refs_overridden", SAMPLE_LINKED, "refs it --mount more Route/north"},
    {"refs_scene", SCENE_FULL, "refs it Scene/harbour"},
    {"refs_limit", SAMPLE_FULL, "refs --max-bytes 30 it Item/sword"},
    {"refs_bare", SAMPLE_BARE, "refs it Item/sword"},
    {"rdeps", SAMPLE_FULL, "rdeps it Item/shield"},
    {"rdeps_import", SAMPLE_FULL, "rdeps it Music/theme"},
    {"rdeps_pattern", PLAN_FULL, "rdeps it Node/*"},
    {"rdeps_json", SAMPLE_FULL, "rdeps -f json it theme"},
    {"rdeps_dot", PLAN_FULL, "rdeps -f dot it Node/shared"},
    {"rdeps_none", SAMPLE_FULL, "rdeps it Names/first"},
    {"rdeps_unknown", SAMPLE_FULL, "rdeps it Names/frist Itme/* sward"},
    {"rdeps_untyped", SAMPLE_UNTYPED, "rdeps it Item/shield"},
    {"why", PLAN_FULL, "why it Level/one Node/deep"},
    {"why_patterns", PLAN_FULL, "why it Level/* c"},
    {"why_json", PLAN_FULL, "why -f json it Level/one Node/deep"},
    {"why_dot", PLAN_FULL, "why -f dot it Level/one Node/deep"},
    {"why_import", SAMPLE_FULL, "why it Item/shield Music/theme"},
    {"why_itself", PLAN_FULL, "why it Node/a Node/a"},
    {"why_no_chain", SAMPLE_FULL, "why it Names/first Item/sword"},
    {"why_unknown", SAMPLE_FULL, "why it Names/first Item/swrd"},
    {"orphans", PLAN_FULL, "orphans it"},
    {"orphans_pattern", PLAN_FULL, "orphans it Node/*"},
    {"orphans_root", PLAN_FULL, "orphans it --root Level/one --root Node/free"},
    {"orphans_root_unknown", PLAN_FULL, "orphans it --root Levle/*"},
    {"orphans_json", PLAN_FULL, "orphans -f json it"},
    {"orphans_dot", PLAN_FULL, "orphans -f dot it"},
    {"orphans_mounted", SAMPLE_FULL, "orphans it --mount more"},
    {"orphans_none", SAMPLE_FULL, "orphans it Item/shield"},
    {"cycles", PLAN_FULL, "cycles it"},
    {"cycles_json", PLAN_FULL, "cycles -f json it"},
    {"cycles_dot", PLAN_FULL, "cycles -f dot it"},
    {"cycles_pattern", PLAN_FULL, "cycles it Level/one"},
    {"cycles_of_one", SAMPLE_LINKED, "cycles it"},
    {"cycles_none", SAMPLE_FULL, "cycles it Names/*"},
    {"cycles_none_json", SAMPLE_FULL, "cycles -f json it Names/*"},
    {"find", SAMPLE_FULL, "find it sharp"},
    {"find_number", SAMPLE_FULL, "find it 0.1"},
    {"find_integer", SAMPLE_FULL, "find it -5"},
    {"find_after_dashes", SAMPLE_FULL, "find it -- -5"},
    {"find_large", SAMPLE_FULL, "find it 0xFEDCBA9876543210"},
    {"find_bool", SAMPLE_FULL, "find it true"},
    {"find_enum", SAMPLE_FULL, "find it common"},
    {"find_flag", SAMPLE_FULL, "find it fire"},
    {"find_asset", SAMPLE_FULL, "find it Music/theme Item/s*"},
    {"find_key", SAMPLE_FULL, "find it hp"},
    {"find_text", SAMPLE_FULL, "find --match text it ar"},
    {"find_text_json", SAMPLE_FULL, "find --match text -f json it ar"},
    {"find_text_paths", SAMPLE_FULL, "find --match text -f paths it ar"},
    {"find_text_offsets", SAMPLE_FULL, "find --match text -f offsets it ar"},
    {"find_text_packed", SAMPLE_PACKED, "find --match text it Shie sword"},
    {"find_text_packed_all", SAMPLE_PACKED, "find --match text it Shie"},
    {"find_text_packed_json", SAMPLE_PACKED, "find --match text -f json it Shie *shield"},
    {"find_regex", SAMPLE_FULL, "find --match regex it ^[A-S].*[de]$"},
    {"find_ref", SAMPLE_FULL, "find --match ref it shield"},
    {"find_ref_import", SAMPLE_FULL, "find --match ref it Music/*"},
    {"find_type", SAMPLE_FULL, "find --match type it Burn Item/*"},
    {"find_type_json", SAMPLE_FULL, "find --match type it -f json *Part"},
    {"find_type_unknown", SAMPLE_FULL, "find --match type it Brun"},
    {"find_controls", SAMPLE_CONTROLS, "find --match regex it ."},
    {"find_mounted", SAMPLE_FULL, "find it --mount more 1"},
    {"find_nothing", SAMPLE_FULL, "find it shar"},
    {"find_nothing_json", SAMPLE_FULL, "find -f json it shar"},
    {"find_no_asset", SAMPLE_FULL, "find it 25 Itme/* Item/sword"},
    {"find_no_assets", SAMPLE_FULL, "find it 25 Itme/*"},
    {"find_untyped", SAMPLE_UNTYPED, "find it 25"},
    {"find_in_shared_parts", SAMPLE_SHARED, "find --max-bytes 1000 it 99999"},
    {"find_in_deep_objects", SAMPLE_DEEP, "find it 99999"},
    {"refs_of_shared_parts", SAMPLE_SHARED, "refs --max-bytes 1000 it *"},
    {"find_limit", SAMPLE_FULL, "find --max-bytes 60 --match text it a"},
    {"usage_match", SAMPLE_FULL, "find it 1 --match txt"},
    {"usage_null", SAMPLE_FULL, "ls -0 it"},
    {"usage_root", SAMPLE_FULL, "cycles it --root Item/*"},
    {"usage_why", SAMPLE_FULL, "why it Item/sword"},
    {"usage_chunks", SCENE_SMALL, "forecast --chunks it"},
    {"help", SAMPLE_SMALL, "--help"},
    {"version", SAMPLE_SMALL, "--version"},
    {"usage_source_map", SAMPLE_SMALL, "scene it --source-map there"},
    {"usage_folder", SAMPLE_SMALL, "ls -C there it"},
    {"usage_nothing", SAMPLE_SMALL, ""},
    {"usage_command", SAMPLE_SMALL, "dmp it"},
    {"usage_far_command", SAMPLE_SMALL, "explain it"},
    {"usage_far_option", SAMPLE_SMALL, "dump --x it"},
    {"usage_near_format", SAMPLE_SMALL, "ls it --format Json"},
    {"usage_mount", SAMPLE_SMALL, "ls it --mount it"},
    {"usage_option", SAMPLE_SMALL, "dump --al it"},
    {"usage_value", SAMPLE_SMALL, "dump it --format"},
    {"usage_format", SAMPLE_SMALL, "hex it --format json"},
    {"usage_color", SAMPLE_SMALL, "dump it --color blue"},
    {"usage_max_bytes", SAMPLE_SMALL, "dump it --max-bytes 1T"},
    {"usage_max_input", SAMPLE_SMALL, "dump it --max-input=-1"},
    {"usage_arguments", SAMPLE_SMALL, "get it"},
    {"usage_too_many", SAMPLE_SMALL, "info it it"},
    {"no_such_file", SAMPLE_SMALL, "dump other"},
    {"a_folder", SAMPLE_SMALL, "info ."},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    if (file) {
        text[fread(text, 1, (1 << 20) - 1, file)] = '\0';
        fclose(file);
    }
    return text;
}

static void output_is_as_expected(void **state)
{
    size_t row = (size_t)(uintptr_t)*state;
    char path[1024], *expected, *actual;
    kiln_buffer sample = sample_of_number(rows[row].sample), more = sample_file(SAMPLE_LINKED);
    inspect_result result;
    inspect_write("it", sample.data, sample.size);
    kiln_buffer_fini(&sample);
    inspect_write("more", more.data, more.size);
    kiln_buffer_fini(&more);
    result = inspect_call(rows[row].arguments);
    actual = malloc(result.out_size + result.err_size + 64);
    assert_non_null(actual);
    sprintf(actual, "%s== err\n%s== exit %d\n", result.out, result.err, result.code);
    snprintf(path, sizeof path, "%s/%s.txt", expected_folder, rows[row].name);
    if (update)
        inspect_write(path, actual, strlen(actual));
    expected = read_text(path);
    assert_string_equal(expected, actual);
    free(expected);
    free(actual);
    inspect_result_fini(&result);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[ROWS];
    size_t i;
    int failed;
    if (argc < 2)
        return 2;
    expected_folder = argv[1];
    update = argc > 2 && strcmp(argv[2], "--update") == 0;
    for (i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){rows[i].name, output_is_as_expected, NULL, NULL,
                                       (void *)(uintptr_t)i};
    unsetenv("NO_COLOR");
    inspect_enter_folder();
    failed = cmocka_run_group_tests_name("inspect_output", tests, NULL, NULL);
    inspect_leave_folder();
    return failed;
}
