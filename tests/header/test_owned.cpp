// C++ owners of assets from a generated header: they load, move and release assets, and keep their
// asset if an operation fails.
#include <kiln/builder.h>
#include <kiln/file_writer.h>
#include <kiln/owned.h>
#include <kiln/type_table.h>

#include "spell.h"

#include <csetjmp>
#include <cstdarg>
#include <type_traits>
#include <utility>
#include <vector>

extern "C" {
#include <cmocka.h>
}

static_assert(!std::is_copy_constructible_v<magic_Spell_owned>);
static_assert(!std::is_copy_assignable_v<magic_Spell_owned>);
static_assert(std::is_nothrow_move_constructible_v<magic_Spell_owned>);
static_assert(std::is_nothrow_move_assignable_v<magic_Spell_owned>);
static_assert(
    std::is_same_v<decltype(std::declval<magic_Spell_owned>().get()), const magic_Spell *>);

// A type that no asset in the file has.
struct ghost {
    uint32_t number;
};
template <> struct kiln_root_traits<ghost> {
    static kiln_root_type type()
    {
        return {"magic.Ghost", 1};
    }
};

static const char *spells_path;

namespace
{

struct fixture {
    kiln_assets *assets = nullptr;

    fixture()
    {
        kiln_assets_def def = kiln_assets_def_default();
        kiln_mount_def mount_def = kiln_mount_def_default();
        kiln_mount mount;
        mount_def.file.path = spells_path;
        def.track_takers = true;
        assert_int_equal(KILN_OK, kiln_assets_create(&def, &assets, nullptr));
        assert_int_equal(KILN_OK, kiln_assets_mount(assets, &mount_def, &mount, nullptr));
    }
    fixture(const fixture &) = delete;
    fixture &operator=(const fixture &) = delete;
    ~fixture()
    {
        kiln_assets_destroy(assets);
    }

    uint32_t strong() const
    {
        kiln_assets_stats stats;
        kiln_assets_get_stats(assets, &stats);
        return stats.strong;
    }
};

// One spell with a different price, in its own file.
kiln_buffer make_patch()
{
    kiln_buffer bytes = {};
    kiln_types *types = nullptr;
    kiln_builder *builder = nullptr;
    kiln_file_writer *writer = nullptr;
    kiln_builder_def builder_def = kiln_builder_def_default();
    kiln_file_writer_def writer_def = kiln_file_writer_def_default();
    assert_int_equal(KILN_OK, magic_types_create(nullptr, &types, nullptr));
    builder_def.types = writer_def.types = types;
    assert_int_equal(KILN_OK, kiln_builder_create(&builder_def, &builder));
    assert_int_equal(KILN_OK, kiln_file_writer_create(&writer_def, &writer, nullptr));
    magic_Spell *spell = magic_Spell_new(builder);
    assert_non_null(spell);
    spell->mana = 7;
    assert_true(magic_Spell_set_title(builder, spell, "Thaw", 4));
    assert_int_equal(KILN_OK, kiln_file_writer_build(writer, "Spell/thaw",
                                                     kiln_types_find(types, "magic.Spell"), builder,
                                                     nullptr));
    assert_int_equal(KILN_OK, kiln_file_writer_finish_buffer(writer, &bytes, nullptr));
    kiln_file_writer_destroy(writer);
    kiln_builder_destroy(builder);
    kiln_types_destroy(types);
    return bytes;
}

void an_owner_releases_its_handle(void **)
{
    fixture f;
    {
        magic_Spell_owned thaw, again;
        assert_false(static_cast<bool>(thaw));
        assert_null(thaw.get());
        assert_int_equal(KILN_OK, thaw.load(f.assets, "Spell/thaw", KILN_HERE, nullptr));
        assert_true(static_cast<bool>(thaw));
        assert_int_equal(40, thaw->mana);
        assert_string_equal("Great Thaw", kiln_string_get(&(*thaw).title));
        assert_int_equal(KILN_REF_STRONG, kiln_ref_get_form(thaw.ref()));
        assert_int_equal(1, f.strong());
        kiln_id id = kiln_asset_id("Spell/thaw", 10);
        assert_int_equal(KILN_OK, again.load(f.assets, id, KILN_HERE, nullptr));
        assert_ptr_equal(thaw.get(), again.get());
        assert_int_equal(2, f.strong());
        again.clear();
        again.clear();
        assert_null(again.get());
        assert_int_equal(1, f.strong());
    }
    assert_int_equal(0, f.strong());
}

void a_moved_from_owner_is_empty(void **)
{
    fixture f;
    magic_Spell_owned thaw, frost;
    assert_int_equal(KILN_OK, thaw.load(f.assets, "Spell/thaw", KILN_HERE, nullptr));
    assert_int_equal(KILN_OK, frost.load(f.assets, "Spell/frost", KILN_HERE, nullptr));
    magic_Spell_owned other(std::move(thaw));
    assert_null(thaw.get());
    assert_int_equal(40, other->mana);
    assert_int_equal(2, f.strong());
    frost = std::move(other);
    assert_null(other.get());
    assert_int_equal(40, frost->mana);
    assert_int_equal(1, f.strong());
    magic_Spell_owned &itself = frost;
    frost = std::move(itself);
    assert_int_equal(40, frost->mana);
    kiln_ref word = frost.release();
    assert_null(frost.get());
    assert_int_equal(1, f.strong());
    kiln_assets_clear(f.assets, &word);
    assert_int_equal(0, f.strong());
}

void expect_second(void *ctx, const kiln_report *report)
{
    ++*static_cast<uint32_t *>(ctx);
    assert_string_equal("second.cpp:2", report->by);
    assert_int_equal(1, report->count);
}

// A moved owner still reports the call that took its asset.
void a_moved_owner_reports_the_call_that_took_its_asset(void **)
{
    fixture f;
    std::vector<magic_Spell_owned> owners(2);
    assert_int_equal(KILN_OK, owners[0].load(f.assets, "Spell/thaw", "first.cpp:1", nullptr));
    assert_int_equal(KILN_OK, owners[1].take(f.assets, owners[0].ref(), "second.cpp:2", nullptr));
    for (int i = 0; i < 100; i++)
        owners.emplace_back();
    owners[50] = std::move(owners[0]);
    owners.erase(owners.begin() + 10);
    owners[49].clear();
    uint32_t told = 0;
    assert_int_equal(1, kiln_assets_list_holds(f.assets, expect_second, &told));
    assert_int_equal(1, told);
}

void an_owner_keeps_its_asset_if_an_operation_fails(void **)
{
    fixture f;
    kiln_error error;
    magic_Spell_owned thaw, none;
    kiln_owned<ghost> wrong;
    assert_int_equal(KILN_OK, thaw.load(f.assets, "Spell/thaw", KILN_HERE, nullptr));
    assert_int_equal(KILN_NOT_FOUND, thaw.load(f.assets, "Spell/x", KILN_HERE, &error));
    assert_int_equal(40, thaw->mana);
    assert_int_equal(KILN_DEAD, thaw.take(f.assets, none.ref(), KILN_HERE, &error));
    assert_int_equal(40, thaw->mana);
    assert_int_equal(KILN_TYPE_MISMATCH, wrong.load(f.assets, "Spell/thaw", KILN_HERE, &error));
    assert_int_equal(KILN_TYPE_MISMATCH, wrong.take(f.assets, thaw.ref(), KILN_HERE, &error));
    assert_int_equal(KILN_TYPE_MISMATCH, error.status);
    assert_null(wrong.get());
    assert_int_equal(1, f.strong());
}

void an_owner_can_be_taken_from_the_word_of_another(void **)
{
    fixture f;
    magic_Spell_owned thaw, other;
    assert_int_equal(KILN_OK, thaw.load(f.assets, "Spell/thaw", KILN_HERE, nullptr));
    assert_int_equal(KILN_OK, other.take(f.assets, thaw.ref(), KILN_HERE, nullptr));
    assert_int_equal(2, f.strong());
    thaw.clear();
    assert_int_equal(40, other->mana);
    assert_int_equal(1, f.strong());
}

void an_owner_follows_a_patch(void **)
{
    fixture f;
    kiln_buffer patch = make_patch();
    kiln_mount_def def = kiln_mount_def_default();
    kiln_mount mount;
    magic_Spell_owned thaw;
    def.file.data = patch.data;
    def.file.size = patch.size;
    assert_int_equal(KILN_OK, thaw.load(f.assets, "Spell/thaw", KILN_HERE, nullptr));
    assert_int_equal(KILN_OK, kiln_assets_mount(f.assets, &def, &mount, nullptr));
    assert_int_equal(7, thaw->mana);
    assert_int_equal(KILN_OK, kiln_assets_unmount(f.assets, mount, KILN_UNMOUNT_REFUSE, nullptr));
    assert_int_equal(40, thaw->mana);
    kiln_assets_collect(f.assets);
    kiln_buffer_fini(&patch);
}

} // namespace

int main(int argc, char **argv)
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(an_owner_releases_its_handle),
        cmocka_unit_test(a_moved_from_owner_is_empty),
        cmocka_unit_test(a_moved_owner_reports_the_call_that_took_its_asset),
        cmocka_unit_test(an_owner_keeps_its_asset_if_an_operation_fails),
        cmocka_unit_test(an_owner_can_be_taken_from_the_word_of_another),
        cmocka_unit_test(an_owner_follows_a_patch),
    };
    if (argc < 2)
        return 2;
    spells_path = argv[1];
    return cmocka_run_group_tests_name("owned", tests, nullptr, nullptr);
}
