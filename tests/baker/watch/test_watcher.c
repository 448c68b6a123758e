/* Which changes a watcher finds, which places it watches, and what it does without memory. */
#include "gateway_fixture.h"
#include "record_inputs.h"
#include "watch_git.h"
#include "watch_notify.h"
#include "watcher.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_scratch, leave_scratch)

/* ---- a run ---- */

static void make_inputs(void)
{
    assert_int_equal(mkdir("data", 0777), 0);
    assert_int_equal(mkdir("data/sub", 0777), 0);
    assert_int_equal(mkdir("far", 0777), 0);
    make_file("a.yaml", "one");
    make_file("data/b.yaml", "two");
    make_file("far/real.yaml", "three");
    assert_int_equal(symlink("far/real.yaml", "link.yaml"), 0);
    assert_int_equal(symlink("far", "folder"), 0);
}

/* Reads, lists and looks for files. Returns false if memory runs out. */
static bool use_inputs(bake_gateway *gateway)
{
    static const char *const paths[] = {"a.yaml", "data/b.yaml", "link.yaml", "folder/real.yaml"};
    size_t count;
    const char *failed;
    bool done = bake_gateway_list(gateway, "data", NULL, &count, &failed) != NULL;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        done = done && bake_gateway_read(gateway, paths[i], NULL);
    errno = 0;
    done = done && !bake_gateway_read(gateway, "inc/none.yaml", NULL) && errno == ENOENT;
    errno = 0;
    return done && !bake_gateway_read(gateway, "data/sub", NULL) && errno == EISDIR;
}

/* Returns a list of one record; it is empty if memory runs out. */
static bake_record_list run(void)
{
    bake_record_list list = {0};
    bake_gateway *gateway = bake_gateway_create(NULL);
    if (gateway && bake_gateway_keep_details(gateway) && use_inputs(gateway))
        bake_record_list_add(&list, bake_record_make_inputs(gateway));
    bake_gateway_destroy(gateway);
    return list;
}

static void replace(const char *path, const char *text)
{
    make_file("new", text);
    assert_int_equal(rename("new", path), 0);
}

/* ---- changes ---- */

static void no_change(void)
{
}
static void write_again(void)
{
    replace("a.yaml", "one");
}
static void edit(void)
{
    replace("a.yaml", "1");
}
static void edit_in_place(void)
{
    make_file("data/b.yaml", "TWO");
}
static void edit_target(void)
{
    replace("far/real.yaml", "3");
}
static void retarget(void)
{
    make_file("far/other.yaml", "3");
    assert_int_equal(symlink("far/other.yaml", "new"), 0);
    assert_int_equal(rename("new", "link.yaml"), 0);
}
static void add_file(void)
{
    make_file("data/c.yaml", "");
}
static void add_hidden(void)
{
    make_file("data/.c.yaml", "");
    make_file("data/notes.txt", "");
}
static void remove_file(void)
{
    assert_int_equal(unlink("data/b.yaml"), 0);
}
static void create_missing(void)
{
    assert_int_equal(mkdir("inc", 0777), 0);
    make_file("inc/none.yaml", "");
}
static void folder_becomes_file(void)
{
    assert_int_equal(rmdir("data/sub"), 0);
    make_file("data/sub", "");
}

static const struct {
    void (*make)(void);
    const char *expected; /* one line for each change */
} change_cases[] = {
    {no_change, ""},
    {write_again, ""},
    {edit, "a.yaml: content changed\n"},
    {edit_in_place, "data/b.yaml: content changed\n"},
    {edit_target, "link.yaml: content changed\nfolder/real.yaml: content changed\n"},
    {retarget, "link.yaml: content changed\n"},
    {add_file, "data: new file c.yaml\n"},
    {add_hidden, ""},
    {remove_file, "data/b.yaml: missing\n"},
    {create_missing, "inc/none.yaml: appeared\n"},
    {folder_becomes_file, "data: folder sub is missing\ndata/sub: cannot be listed\n"},
};

static void check_changes(bool polls)
{
    for (size_t i = 0; i < sizeof change_cases / sizeof *change_cases; i++) {
        char text[1024] = "";
        const bake_watcher_def def = {0, polls ? 1 : 0};
        bake_changes changes = {0};
        assert_non_null(scratch_folder_enter("kiln-watch", SCRATCH_DISK));
        make_inputs();
        bake_record_list list = run();
        bake_watcher *watcher = bake_watcher_create(&def);
        assert_true(watcher && list.count == 1 && bake_watcher_set(watcher, &list));
        change_cases[i].make();
        if (!*change_cases[i].expected)
            replace("link.yaml", "changed so that the wait ends");
        assert_true(bake_watcher_wait(watcher, &changes));
        for (size_t k = 0; k < changes.count; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s\n",
                     changes.items[k].text);
        assert_string_equal(text, *change_cases[i].expected ? change_cases[i].expected
                                                            : "link.yaml: content changed\n");
        bake_changes_fini(&changes);
        bake_watcher_destroy(watcher);
        assert_true(scratch_folder_leave());
    }
}

static void each_change_of_an_input_is_found(void **state)
{
    (void)state;
    check_changes(false);
}

static void each_change_of_an_input_is_found_by_polling(void **state)
{
    (void)state;
    check_changes(true);
}

static void a_path_that_changed_during_the_run_is_one_change(void **state)
{
    (void)state;
    const bake_watcher_def def = {0, 1};
    bake_changes changes = {0};
    bake_gateway *gateway = bake_gateway_create(NULL);
    assert_true(gateway && bake_gateway_keep_details(gateway));
    assert_int_equal(bake_gateway_path_kind(gateway, "x.yaml"), BAKE_PATH_MISSING);
    make_file("x.yaml", "text");
    assert_int_equal(bake_gateway_path_kind(gateway, "x.yaml"), BAKE_PATH_FILE);
    bake_watcher *watcher = bake_watcher_create(&def);
    assert_non_null(watcher);
    for (int i = 0; i < 2; i++) {
        bake_record_list list = {0};
        bake_record_list_add(&list, bake_record_make_inputs(gateway));
        assert_true(bake_watcher_set(watcher, &list));
        if (i == 1)
            make_file("x.yaml", "other"), assert_int_equal(unlink("x.yaml"), 0);
        assert_true(bake_watcher_wait(watcher, &changes));
        assert_int_equal(changes.count, 1);
        assert_string_equal(changes.items[0].text,
                            i == 0 ? "x.yaml: changed during the run" : "x.yaml: missing");
        bake_changes_fini(&changes);
        changes = (bake_changes){0};
    }
    bake_watcher_destroy(watcher);
    bake_gateway_destroy(gateway);
}

/* ---- places ---- */

static const struct {
    const char *folder, *name;
    bool is_folder, is_place;
} place_cases[] = {
    {".", "a.yaml", false, true},
    {".", "b.yaml", false, false},
    {".", "data", true, true},
    {".", "link.yaml", false, true},
    {".", "folder", false, true},
    {".", "far", true, true},
    {".", "inc", true, true},
    {"far", "real.yaml", false, true},
    {"far", "other.yaml", false, false},
    {"folder", "real.yaml", false, true},
    {"inc", "none.yaml", false, true},
    {"data", "b.yaml", false, true},
    {"data", "new.yaml", false, true},
    {"data", "new.yml", false, true},
    {"data", "notes.txt", false, false},
    {"data", "notes.txt", true, true},
    {"data", ".b.yaml", false, false},
    {"data", ".b.yaml.swp", false, false},
};

static void the_names_that_matter_are_those_of_inputs_and_of_lists(void **state)
{
    (void)state;
    make_inputs();
    watch_places places = {0};
    bake_record_list list = run();
    assert_true(bake_watch_places_add(&places, &list));
    for (size_t i = 0; i < sizeof place_cases / sizeof *place_cases; i++) {
        uint32_t folder = 0;
        while (folder < places.folder_count &&
               strcmp(places.folders[folder].path, place_cases[i].folder) != 0)
            folder++;
        assert_true(folder < places.folder_count);
        if (bake_watch_places_contain(&places, folder, place_cases[i].name,
                                      place_cases[i].is_folder) != place_cases[i].is_place)
            fail_msg("%s in %s", place_cases[i].name, place_cases[i].folder);
    }
    bake_watch_places_fini(&places);
    bake_record_list_fini(&list);
}

static void links_that_form_a_circle_end(void **state)
{
    (void)state;
    bake_gateway *gateway = bake_gateway_create(NULL);
    watch_places places = {0};
    bake_record_list list = {0};
    assert_int_equal(symlink("two", "one"), 0);
    assert_int_equal(symlink("one", "two"), 0);
    assert_int_equal(symlink("self/self", "self"), 0);
    assert_true(gateway && bake_gateway_keep_details(gateway));
    assert_null(bake_gateway_read(gateway, "one", NULL));
    assert_null(bake_gateway_read(gateway, "self/x//../y", NULL));
    bake_record_list_add(&list, bake_record_make_inputs(gateway));
    assert_true(list.count == 1 && bake_watch_places_add(&places, &list));
    assert_true(places.name_count < 200);
    bake_watch_places_fini(&places);
    bake_record_list_fini(&list);
    bake_gateway_destroy(gateway);
}

/* ---- git ---- */

static const char *lock_below(const char *folder, bake_store *store)
{
    char before[1024];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    const char *lock = bake_watch_git_lock(store);
    assert_int_equal(chdir(before), 0);
    return lock ? lock : "";
}

static void the_lock_of_git_is_found_from_folders_and_worktrees(void **state)
{
    (void)state;
    bake_store store = {0};
    assert_int_equal(mkdir("repository", 0777), 0);
    assert_int_equal(mkdir("repository/.git", 0777), 0);
    assert_int_equal(mkdir("repository/sub", 0777), 0);
    assert_string_equal(lock_below("repository", &store), "./.git/index.lock");
    assert_string_equal(lock_below("repository/sub", &store), "../.git/index.lock");
    assert_int_equal(mkdir("tree", 0777), 0);
    make_file("tree/.git", "gitdir: ../repository/.git\n");
    assert_string_equal(lock_below("tree", &store), "./../repository/.git/index.lock");
    assert_int_equal(mkdir("linked", 0777), 0);
    assert_int_equal(symlink("../repository/.git", "linked/.git"), 0);
    assert_string_equal(lock_below("linked", &store), "./.git/index.lock");
    /* To read a pipe would wait forever. */
    assert_int_equal(mkdir("piped", 0777), 0);
    assert_int_equal(mkfifo("piped/.git", 0777), 0);
    assert_string_equal(lock_below("piped", &store), "");
    make_file("tree/.git", "gitdir: /x/y\r\n");
    assert_string_equal(lock_below("tree", &store), "/x/y/index.lock");
    make_file("tree/.git", "anything else\n");
    assert_string_equal(lock_below("tree", &store), "");
    make_file("tree/.git", "");
    assert_string_equal(lock_below("tree", &store), "");
    bake_store_fini(&store);
}

/* ---- memory ---- */

static bool everything(bool polls)
{
    const bake_watcher_def def = {0, polls ? 1 : 0};
    bake_changes changes = {0};
    bake_record_list list = run();
    bake_watcher *watcher = bake_watcher_create(&def);
    bool done = watcher && list.count == 1 && bake_watcher_set(watcher, &list);
    static bool is_long;
    if (done) {
        is_long = !is_long;
        replace("a.yaml", is_long ? "a longer text" : "text");
    }
    done = done && bake_watcher_wait(watcher, &changes) && changes.count == 1;
    bake_changes_fini(&changes);
    bake_watcher_destroy(watcher);
    bake_record_list_fini(&list);
    return done;
}

static void no_failed_allocation_leaks_or_is_ignored(void **state)
{
    (void)state;
    make_inputs();
    for (int form = 0; form < 4; form++) {
        bool failed = true;
        for (long n = 0; failed; n++) {
            (form & 1 ? bake_memory_fail_at : bake_memory_fail_after)(n);
            bool done = everything(form & 2);
            failed = bake_memory_has_failed();
            bake_memory_fail_after(-1);
            if (!failed)
                assert_true(done);
            else if (!(form & 1))
                assert_false(done);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_change_of_an_input_is_found),
        cmocka_unit_test(each_change_of_an_input_is_found_by_polling),
        TEST(a_path_that_changed_during_the_run_is_one_change),
        TEST(the_names_that_matter_are_those_of_inputs_and_of_lists),
        TEST(links_that_form_a_circle_end),
        TEST(the_lock_of_git_is_found_from_folders_and_worktrees),
        TEST(no_failed_allocation_leaks_or_is_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
