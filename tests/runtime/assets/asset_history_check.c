/* Creates, compares and destroys histories, and chooses the next step. */
#include "asset_history.h"

#include <stdio.h>
#include <string.h>

/* ---- creation ---- */

/* Some files have nearly all names, some only a few. */
static void choose_assets(history *h, int number)
{
    history_file *file = &h->files[number];
    bool is_packed = file->memory == KILN_ASSET_UNPACKED;
    uint32_t share = 1 + history_random(h, 8);
    for (int name = 0; name < FILE_NAMES; name++) {
        if (history_random(h, 8) >= share)
            continue;
        bool is_same =
            name > 0 && (file->names & history_bit(name - 1)) && history_random(h, 3) == 0;
        file->names |= history_bit(name);
        /* Only a few files have a different type for an asset. */
        if (!is_packed && number >= FILES - 3 && name == FILE_NAMES - 1)
            file->plates |= history_bit(name);
        file->value[name] =
            is_same ? file->value[name - 1] : (uint32_t)(1000 * (number + 1) + name);
        for (int ref = 0; ref < NAMES && !is_same; ref++)
            if (history_random(h, 20) == 0 && (ref < FILE_NAMES || history_random(h, 8) == 0))
                file->refs[name] |= history_bit(ref);
        if (is_packed)
            file->refs[name] |= history_bit(0);
        if (is_same)
            file->refs[name] = file->refs[name - 1];
    }
}

/* An edited version of another file: some assets have different values, and a few are missing. */
static void edit_assets(history *h, int number, const history_file *from)
{
    history_file *file = &h->files[number];
    const bool keeps_all = history_random(h, 2) == 0;
    for (int name = 0; name < FILE_NAMES; name++) {
        if (!(from->names & history_bit(name)) || (!keeps_all && history_random(h, 8) == 0))
            continue;
        file->names |= history_bit(name);
        file->plates |= from->plates & history_bit(name);
        file->value[name] =
            history_random(h, 3) ? from->value[name] : (uint32_t)(1000 * (number + 1) + name);
        file->refs[name] = from->refs[name];
    }
}

/* Writes a plan with up to six clusters of random assets of the file. */
static const char *choose_plan(history *h, const history_file *file, char *text)
{
    enum { CLUSTERS = 6 };
    if (!h->def->has_plans || history_random(h, 4) == 0)
        return NULL;
    const bool is_packed = history_random(h, 2) == 0;
    uint32_t left = file->names;
    sprintf(text, "%s", is_packed ? "+" : "");
    for (int i = 0; i < CLUSTERS; i++) {
        const char *before = " ", *after = ":";
        for (int name = 0; name < FILE_NAMES; name++) {
            if (!(left & history_bit(name)) || history_random(h, 3) > 0)
                continue;
            left &= ~history_bit(name);
            sprintf(text + strlen(text), "%s%s%s", before, h->names[name], after);
            before = *after == ':' ? "" : ",";
            after = "";
        }
    }
    return text;
}

static void make_file(history *h, int number)
{
    enum { KINDS = 4 };
    char plan[FILE_NAMES * 10 + 8];
    history_file *file = &h->files[number];
    scene_asset assets[FILE_NAMES];
    char refs[FILE_NAMES][NAMES * 10];
    size_t count = 0;
    static const kiln_asset_memory kinds[KINDS] = {KILN_ASSET_MAPPED, KILN_ASSET_UNPACKED,
                                                   KILN_ASSET_CONVERTED, KILN_ASSET_MAPPED};
    file->memory = kinds[number % KINDS];
    if (number % (2 * KINDS) < KINDS)
        choose_assets(h, number);
    else
        edit_assets(h, number, &h->files[number - KINDS]);
    for (int name = 0; name < FILE_NAMES; name++) {
        if (!(file->names & history_bit(name)))
            continue;
        refs[count][0] = '\0';
        for (int ref = 0; ref < NAMES; ref++)
            if (file->refs[name] & history_bit(ref))
                sprintf(refs[count] + strlen(refs[count]), " %s", h->names[ref]);
        assets[count] = (scene_asset){h->names[name], file->value[name], refs[count],
                                      file->plates & history_bit(name)      ? SCENE_PLATE
                                      : file->memory == KILN_ASSET_UNPACKED ? SCENE_PACKED
                                                                            : SCENE_THING};
        count++;
    }
    kiln_types *types = scene_types(file->memory == KILN_ASSET_CONVERTED);
    const char *chosen = choose_plan(h, file, plan);
    file->has_plan = chosen != NULL;
    file->image = scene_planned_of(types, chosen, assets, count);
    kiln_types_destroy(types);
}

static const history_def *def_of_next;

static void change_def(kiln_assets_def *def)
{
    def->max_assets = def_of_next->max_assets;
}

void history_init(history *h, const history_def *def, uint64_t seed)
{
    memset(h, 0, sizeof *h);
    h->def = def;
    h->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    def_of_next = def;
    scene_begin_with(&h->scene, change_def);
    for (int i = 0; i < NAMES; i++)
        snprintf(h->names[i], sizeof h->names[i], "Thing/%d", i);
    for (int i = 0; i < FILES; i++)
        make_file(h, i);
    for (uint32_t i = 0; i < ADDED_VALUES; i++) {
        int first = (int)(3 * i % NAMES), second = (int)((7 * i + 2) % NAMES);
        char refs[2 * sizeof h->names[0] + 2];
        snprintf(refs, sizeof refs, "%s %s", h->names[first], h->names[second]);
        h->added[i] = scene_blob(90000 + i, refs, SCENE_THING);
        h->added_refs[i] = history_bit(first) | history_bit(second);
    }
    for (int i = 0; i < WORDS; i++)
        h->words[i].tenant = NONE;
    h->type = scene_root_type(SCENE_THING);
    if (def->is_threaded)
        h->thread = kiln_assets_thread_register(h->scene.assets);
}

/* ---- comparison ---- */

static void compare_value(uint32_t value, const void *root)
{
    const test_thing *thing = root;
    if (!thing) {
        assert_int_equal(0, value);
        return;
    }
    assert_int_equal(value, scene_value(thing));
    const volatile kiln_id *added = kiln_relative_get(&thing->added, thing->added.offset);
    for (uint32_t i = 1; i < thing->added.count; i++)
        assert_int_equal(added[0], added[i]);
}

static uint32_t check_names(const history *h)
{
    uint32_t known = 0;
    for (int name = 0; name < NAMES; name++) {
        kiln_id id = scene_id(h->names[name]);
        int at = model_loaded(h, name);
        bool is_known = at != NONE || model_provider(h, name, NONE) != NONE;
        known += is_known;
        if (is_known || !h->is_sweeping) {
            assert_int_equal(is_known ? id : 0, kiln_assets_find(h->scene.assets, h->names[name]));
            assert_int_equal(is_known, kiln_assets_has(h->scene.assets, id));
        }
        if (at != NONE || !h->is_sweeping)
            compare_value(at == NONE ? 0 : h->tenants[at].value,
                          kiln_assets_get(h->scene.assets, id));
    }
    return known;
}

static void check_word(const history *h, const history_word *word)
{
    const history_tenant *tenant = &h->tenants[word->tenant];
    const void *root = kiln_ref_get(kiln_assets_get_slots(h->scene.assets), word->ref);
    bool is_pointer = kiln_ref_get_form(word->ref) == KILN_REF_POINTER;
    kiln_ref_state state = kiln_ref_check(h->scene.assets, word->ref.bits);
    if (is_pointer || tenant->is_alive) {
        assert_int_equal(KILN_REF_IS_GOOD, state);
        compare_value(is_pointer ? word->value : tenant->value, root);
    } else {
        assert_true(state == KILN_REF_IS_STALE || h->is_sweeping);
        assert_true(!root || h->is_sweeping);
    }
}

static void check_tenant(const history *h, const history_tenant *tenant)
{
    kiln_asset_info info;
    EXPECT_STATUS(KILN_OK, kiln_assets_get_info(h->scene.assets, tenant->handle, &info));
    kiln_asset_memory memory = tenant->mount == NONE
                                   ? tenant->is_foreign ? KILN_ASSET_FOREIGN : KILN_ASSET_OWNED
                                   : history_memory(h, tenant->mount);
    assert_int_equal(memory, info.memory);
    assert_int_equal(tenant->strong, info.strong);
    assert_int_equal(tenant->weak, info.weak);
    assert_int_equal(model_protections(tenant), info.protections);
    assert_ptr_equal(tenant->root, info.root);
    assert_int_equal(tenant->names == 0, info.name[0] == '\0');
}

static void check_stats(const history *h, uint32_t known)
{
    kiln_assets_stats stats;
    kiln_assets_get_stats(h->scene.assets, &stats);
    uint32_t loaded = 0, strong = 0, weak = 0, borrowed = 0, mounts = 0, deferred = 0;
    bool has_plan = false;
    for (int i = 0; i < TENANTS; i++) {
        loaded += h->tenants[i].is_alive;
        strong += h->tenants[i].strong;
        weak += h->tenants[i].weak;
    }
    for (int i = 0; i < BORROWS; i++)
        borrowed += h->borrows[i].root != NULL;
    for (int i = 0; i < MOUNTS; i++) {
        mounts += h->mounts[i].is_there;
        has_plan |= h->mounts[i].is_there && h->files[h->mounts[i].file].has_plan;
        deferred += h->mounts[i].is_gone;
    }
    assert_int_equal(known + has_plan, stats.known);
    assert_int_equal(loaded, stats.loaded);
    assert_int_equal(strong, stats.strong);
    assert_int_equal(weak, stats.weak);
    assert_true(h->recycles ? stats.stale_slots <= h->kept : stats.stale_slots == h->kept);
    assert_int_equal(stats.slots, stats.loaded + stats.free_slots + stats.stale_slots);
    assert_int_equal(borrowed, stats.borrowed);
    assert_int_equal(mounts, stats.mounts);
    assert_int_equal(deferred, stats.deferred);
    assert_int_equal(h->thread != NULL, stats.threads);
}

void history_check(history *h)
{
    scene_expect_valid(&h->scene);
    uint32_t known = check_names(h);
    if (!h->is_sweeping)
        check_stats(h, known);
    for (int i = 0; i < WORDS; i++)
        if (h->words[i].tenant != NONE)
            check_word(h, &h->words[i]);
    for (int i = 0; i < TENANTS; i++)
        if (h->tenants[i].is_alive)
            check_tenant(h, &h->tenants[i]);
    for (int i = 0; i < BORROWS; i++)
        if (h->borrows[i].root)
            compare_value(h->borrows[i].value, h->borrows[i].root);
}

/* ---- steps ---- */

static const struct kind {
    void (*step)(history *h);
    uint32_t share;
} kinds[] = {
    {history_mount_one, 6}, {history_unmount_one, 6}, {history_load, 20},
    {history_add, 10},      {history_dispose, 10},    {history_take, 30},
    {history_clear, 24},    {history_protect, 6},     {history_borrow_one, 6},
    {history_forge, 10},    {history_replace_one, 6},
};

void history_step(history *h)
{
    uint32_t all = 0, at = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        all += kinds[i].share;
    uint32_t pick = history_random(h, all);
    while (pick >= kinds[at].share)
        pick -= kinds[at++].share;
    history_threaten(h);
    kinds[at].step(h);
    h->scene.memory.fail_at = 0;
    h->scene.memory.failed = 0;
    h->scene.report_count = 0;
    if (h->thread && history_random(h, 16) == 0)
        kiln_assets_thread_quiescent(h->thread);
    size_t waiting = kiln_assets_collect(h->scene.assets);
    assert_true(h->thread || waiting == 0);
    model_sweep(h);
    if (h->steps++ % 16 == 0)
        history_check(h);
}

static void give_all_back(history *h)
{
    for (int i = 0; i < WORDS; i++)
        if (h->words[i].tenant != NONE)
            history_clear_word(h, &h->words[i]);
    for (int i = 0; i < BORROWS; i++)
        if (h->borrows[i].root)
            EXPECT_STATUS(KILN_OK, kiln_assets_release(h->scene.assets, h->borrows[i].root,
                                                       history_by[h->borrows[i].by]));
    for (int i = 0; i < TENANTS; i++)
        for (int by = 0; by < BYS && h->tenants[i].is_alive; by++)
            while (h->tenants[i].protections[by]--)
                EXPECT_STATUS(KILN_OK, kiln_assets_unprotect(h->scene.assets, h->tenants[i].handle,
                                                             history_by[by]));
}

void history_fini(history *h)
{
    history_check(h);
    give_all_back(h);
    scene_expect_valid(&h->scene);
    assert_int_equal(0, kiln_assets_list_holds(h->scene.assets, NULL, NULL));
    assert_int_equal(0, scene_stats(&h->scene).deferred);
    scene_end(&h->scene);
    assert_int_equal(h->given, h->freed);
    for (int i = 0; i < FILES; i++)
        kiln_buffer_fini(&h->files[i].image);
    for (uint32_t i = 0; i < ADDED_VALUES; i++)
        kiln_buffer_fini(&h->added[i]);
}
