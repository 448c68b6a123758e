// Asset tables from C++17: the inline functions read with std::atomic the fields that the library
// writes with C atomics.
#include <kiln/assets.h>
#include <kiln/file_writer.h>
#include <kiln/ref.h>
#include <kiln/world.h>

#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <thread>

extern "C" {
#include <cmocka.h>

#include "asset_fixture.h"
}

namespace
{

static_assert(sizeof(kiln_ref) == 8 && sizeof(kiln_slot) == 16);

uint32_t value_of(const void *root)
{
    return root ? static_cast<const std::uint32_t *>(root)[2] : 0;
}

void words_lead_to_roots_from_cpp(void **)
{
    const scene_asset asset = {"Thing/a", 7, nullptr, SCENE_THING};
    kiln_buffer image = scene_file(&asset, 1);
    kiln_assets *assets = nullptr;
    const kiln_assets_def def = kiln_assets_def_default();
    assert_int_equal(KILN_OK, kiln_assets_create(&def, &assets, nullptr));
    kiln_mount_def mount_def = kiln_mount_def_default();
    mount_def.file.data = image.data;
    mount_def.file.size = image.size;
    kiln_mount mount{};
    assert_int_equal(KILN_OK, kiln_assets_mount(assets, &mount_def, &mount, nullptr));
    kiln_load_args load{};
    load.name = "Thing/a";
    load.by = KILN_HERE;
    kiln_ref strong{}, word{};
    assert_int_equal(KILN_OK, kiln_assets_load(assets, &load, &strong, nullptr));
    const kiln_slots *slots = kiln_assets_get_slots(assets);
    for (kiln_ref_form form :
         {KILN_REF_POINTER, KILN_REF_INDIRECT, KILN_REF_WEAK, KILN_REF_STRONG}) {
        assert_int_equal(KILN_OK, kiln_assets_take(assets, strong, form, KILN_HERE, &word));
        assert_int_equal(7, value_of(kiln_ref_get(slots, word)));
        kiln_ref moved = kiln_ref_move(&word);
        assert_int_equal(0, word.bits);
        kiln_assets_clear(assets, &moved);
    }
    assert_int_equal(7, value_of(kiln_assets_get(assets, kiln_assets_find(assets, "Thing/a"))));
    std::uint32_t seen = 0;
    std::thread reader([&] {
        kiln_assets_thread *thread = kiln_assets_thread_register(assets);
        seen = value_of(kiln_ref_get_handle(slots, strong));
        kiln_assets_thread_quiescent(thread);
        kiln_assets_thread_unregister(thread);
    });
    reader.join();
    assert_int_equal(7, seen);
    kiln_assets_clear(assets, &strong);
    assert_int_equal(KILN_OK, kiln_assets_unmount(assets, mount, KILN_UNMOUNT_REFUSE, nullptr));
    kiln_assets_destroy(assets);
    kiln_buffer_fini(&image);
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {cmocka_unit_test(words_lead_to_roots_from_cpp)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
