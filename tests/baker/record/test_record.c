/* What a record contains, and which changes a check finds. */
#include "record_fixture.h"

/* Compares the changes since the record was made with the expected lines. */
static void check_changes(bake_record *record, const bake_record_def *def, bool trust_stat,
                          const char *expected)
{
    char text[2048] = "";
    bool is_newer;
    bake_changes changes = {0};
    bake_record_state state = bake_record_check(record, def, trust_stat, &changes, &is_newer);
    for (size_t i = 0; i < changes.count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s\n", changes.items[i].text);
    }
    assert_string_equal(text, expected);
    assert_int_equal(state, *expected ? BAKE_RECORD_CHANGED : BAKE_RECORD_UNCHANGED);
    bake_changes_fini(&changes);
}

static void replace(const char *path, const char *text)
{
    make_file("new", text);
    assert_int_equal(rename("new", path), 0);
}

static void make_folder_of(const char *path)
{
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0777), 0);
}

/* ---- changes ---- */

static void touch(void)
{
    const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(AT_FDCWD, "a.yaml", times, 0), 0);
}
static void write_again(void)
{
    replace("a.yaml", "one");
}
static void edit(void)
{
    replace("a.yaml", "1");
}
/* Same size, same modification time, same inode. */
static void edit_secretly(void)
{
    struct stat status;
    assert_int_equal(stat("a.yaml", &status), 0);
    int file = open("a.yaml", O_WRONLY);
    assert_int_equal(write(file, "ONE", 3), 3);
    close(file);
    const struct timespec times[2] = {status.st_atim, status.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, "a.yaml", times, 0), 0);
}
static void remove_input(void)
{
    assert_int_equal(unlink("a.yaml"), 0);
}
static void input_becomes_folder(void)
{
    make_folder_of("a.yaml");
}
static void input_becomes_pipe(void)
{
    assert_int_equal(unlink("a.yaml"), 0);
    assert_int_equal(mkfifo("a.yaml", 0600), 0);
}
static void looked_for_appears(void)
{
    make_file("missing.yaml", "");
}
static void remove_examined(void)
{
    assert_int_equal(unlink("pic.png"), 0);
}
static void edit_examined(void)
{
    make_file("pic.png", "other");
}
static void examined_becomes_folder(void)
{
    make_folder_of("pic.png");
}
static void add_listed(void)
{
    make_file("data/c.yaml", "");
}
static void add_unlisted(void)
{
    make_file("data/more.txt", "");
}
static void add_hidden(void)
{
    make_file("data/.a.yaml", "");
}
static void remove_listed_folder(void)
{
    assert_int_equal(rmdir("data/sub"), 0);
}
static void folder_becomes_file(void)
{
    assert_int_equal(rmdir("data/sub"), 0);
    make_file("data/sub", "");
}
static void folder_becomes_input(void)
{
    assert_int_equal(rmdir("data/sub"), 0);
    assert_int_equal(mkdir("data/z.yaml", 0777), 0);
}
static void remove_output(void)
{
    assert_int_equal(unlink("out/x.kiln"), 0);
}
static void edit_output(void)
{
    make_file("out/x.kiln", "BYTES");
}
static void touch_output(void)
{
    replace("out/x.kiln", "bytes");
}
static void edit_source(void)
{
    make_file("table.csv", "3,4");
}
static void edit_script(void)
{
    make_file("script", "less");
}
static void edit_program(void)
{
    make_file("bin2/tool", "#!/bin/sh\n");
}
static void hide_program(void)
{
    make_file("bin/tool", "#!/bin/sh\n");
}
static void set_variable(void)
{
    setenv(RECORD_VARIABLE "_2", "", 1);
}
static void change_variable(void)
{
    setenv(RECORD_VARIABLE, "y", 1);
}
static void unset_variable(void)
{
    unsetenv(RECORD_VARIABLE);
}
static void nothing(void)
{
}

typedef struct change_row {
    void (*change)(void);
    const char *expected; /* `%s` is the scratch folder */
} change_row;

static const change_row change_rows[] = {
    {nothing, ""},
    {touch, ""},
    {write_again, ""},
    {edit, "a.yaml: content changed\n"},
    {edit_secretly, "a.yaml: content changed\n"},
    {remove_input, "a.yaml: missing\n"},
    {input_becomes_folder, "a.yaml: is now a folder\n"},
    {input_becomes_pipe, "a.yaml: is now a device\n"},
    {looked_for_appears, "missing.yaml: appeared\n"},
    {remove_examined, "pic.png: missing\n"},
    {edit_examined, ""},
    {examined_becomes_folder, "pic.png: is now a folder\n"},
    {add_listed, "data: new file c.yaml\ndata: new name c.yaml\n"},
    {add_unlisted, "data: new name more.txt\n"},
    {add_hidden, ""},
    {remove_listed_folder,
     "data: folder sub is missing\ndata/sub: cannot be listed\ndata: name sub is missing\n"},
    {folder_becomes_file, "data: folder sub is missing\ndata/sub: cannot be listed\n"},
    {folder_becomes_input, "data: folder sub is missing\ndata: new folder z.yaml\n"
                           "data/sub: cannot be listed\ndata: name sub is missing\n"
                           "data: new name z.yaml\n"},
    {remove_output, "output out/x.kiln: missing\n"},
    {edit_output, "output out/x.kiln: content changed\n"},
    {touch_output, ""},
    {edit_source, "table.csv: content changed\n"},
    {edit_script, "script: content changed\n"},
    {edit_program, "%s/bin2/tool: content changed\n"},
    {hide_program, "%s/bin/tool: appeared\n"},
    {set_variable, "variable " RECORD_VARIABLE "_2: set now\n"},
    {change_variable, "variable " RECORD_VARIABLE ": x -> y\n"},
    {unset_variable, "variable " RECORD_VARIABLE ": no longer set\n"},
};

/* Runs each row in a separate folder. */
static void check_rows(bool trust_stat, bool is_old)
{
    for (size_t i = 0; i < sizeof change_rows / sizeof *change_rows; i++) {
        char name[16], expected[1200];
        unsetenv(RECORD_VARIABLE "_2");
        snprintf(name, sizeof name, "%zu", i);
        assert_int_equal(mkdir(name, 0777), 0);
        assert_int_equal(chdir(name), 0);
        make_inputs();
        char bin[1200];
        snprintf(bin, sizeof bin, "%s/%s/bin:%s/%s/bin2", scratch, name, scratch, name);
        setenv("PATH", bin, 1);
        bake_record *record = make_record();
        if (is_old)
            make_old(record);
        change_rows[i].change();
        snprintf(bin, sizeof bin, "%s/%s", scratch, name);
        snprintf(expected, sizeof expected, change_rows[i].expected, bin);
        check_changes(record, &record_def, trust_stat, expected);
        bake_record_destroy(record);
        assert_int_equal(chdir(".."), 0);
    }
}

static void every_change_is_found_by_content(void **state)
{
    (void)state;
    check_rows(false, false);
}

static void every_change_is_found_by_state(void **state)
{
    (void)state;
    check_rows(true, true);
}

static void every_change_is_found_shortly_after_the_run(void **state)
{
    (void)state;
    check_rows(true, false);
}

static void every_change_of_an_option_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *version;
        bake_record_option options[6];
        size_t count;
        const char *expected;
    } rows[] = {
        {"0.1.0",
         {{"--patch", ""}, {"source", "a.yaml"}, {"--compress", "3"}, {"source", "data"}},
         4,
         ""},
        {"0.1.0",
         {{"--compress", "9"}, {"source", "a.yaml"}, {"source", "data"}, {"--patch", ""}},
         4,
         "option --compress: 3 -> 9\n"},
        {"0.1.0",
         {{"--compress", "3"}, {"source", "data"}, {"source", "a.yaml"}, {"--patch", ""}},
         4,
         "option source: the order of the values changed\n"},
        {"0.1.0",
         {{"source", "b"}, {"source", "data"}, {"--patch", ""}, {"--compress", "3"}},
         4,
         "option source: a.yaml removed\noption source: b added\n"},
        {"0.2.0",
         {{"source", "a.yaml"}, {"source", "data"}, {"source", "data"}, {"--quiet", ""}},
         4,
         "version: 0.1.0 -> 0.2.0\noption --compress: 3 removed\noption --patch: removed\n"
         "option --quiet: added\noption source: data added\n"},
        {"0.1.0",
         {{"", ""}},
         0,
         "option --compress: 3 removed\noption --patch: removed\noption source: a.yaml removed\n"
         "option source: data removed\n"},
    };
    make_inputs();
    bake_record *record = make_record();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bake_record_def def = {
            .version = rows[i].version, .options = rows[i].options, .option_count = rows[i].count};
        check_changes(record, &def, true, rows[i].expected);
    }
    bake_record_destroy(record);
}

/* The changes that a check has noticed are those in its list so far. */
typedef struct noticed {
    const bake_changes *changes;
    size_t count;
} noticed;

static void notice(void *ctx, const bake_change *change)
{
    noticed *n = ctx;
    n->count++;
    assert_int_equal(n->changes->count, n->count);
    assert_ptr_equal(n->changes->items[n->count - 1].subject, change->subject);
}

static void a_check_ends_after_the_wanted_number_of_changes(void **state)
{
    (void)state;
    make_inputs();
    bake_record *record = make_record();
    edit();
    looked_for_appears();
    remove_output();
    for (size_t most = 1; most <= 4; most++) {
        bake_changes changes = {.most = most, .notice = notice};
        noticed n = {.changes = &changes};
        bool is_newer;
        changes.ctx = &n;
        assert_int_equal(bake_record_check(record, &record_def, true, &changes, &is_newer),
                         BAKE_RECORD_CHANGED);
        assert_int_equal(changes.count, most < 3 ? most : 3);
        assert_int_equal(n.count, changes.count);
        assert_string_equal(changes.items[0].subject, "out/x.kiln");
        assert_int_equal(changes.items[0].kind, BAKE_CHANGE_OUTPUT);
        assert_false(is_newer);
        bake_changes_fini(&changes);
    }
    bake_record_destroy(record);
}

static void deferred_outputs_are_compared_if_nothing_else_has_changed(void **state)
{
    (void)state;
    bake_record_def def = record_def;
    def.defers_outputs = true;
    make_inputs();
    bake_record *record = make_record();
    check_changes(record, &def, false, "");
    edit_output();
    check_changes(record, &def, false, "output out/x.kiln: content changed\n");
    edit();
    check_changes(record, &def, false, "a.yaml: content changed\n");
    bake_record_destroy(record);
}

/* ---- states ---- */

static bool check_is_newer(bake_record *record, bool trust_stat)
{
    bool is_newer;
    bake_changes changes = {0};
    assert_int_equal(bake_record_check(record, &record_def, trust_stat, &changes, &is_newer),
                     BAKE_RECORD_UNCHANGED);
    bake_changes_fini(&changes);
    return is_newer;
}

static record_path *find_path(bake_record *record, const char *path)
{
    for (size_t i = 0; i < record->path_count; i++)
        if (strcmp(record->paths[i].path, path) == 0)
            return &record->paths[i];
    fail_msg("%s is not in the record", path);
    return NULL;
}

static void only_old_states_are_trusted(void **state)
{
    (void)state;
    make_inputs();
    bake_record *record = make_record();
    /* A wrong hash shows whether the content was read. */
    find_path(record, "a.yaml")->hash.low ^= 1;
    check_changes(record, &record_def, true, "a.yaml: content changed\n");
    make_old(record);
    check_changes(record, &record_def, true, "");
    check_changes(record, &record_def, false, "a.yaml: content changed\n");
    find_path(record, "a.yaml")->state.changed++;
    check_changes(record, &record_def, true, "a.yaml: content changed\n");
    bake_record_destroy(record);
}

static void new_states_of_equal_content_are_stored(void **state)
{
    (void)state;
    make_inputs();
    bake_record *record = make_record();
    make_old(record);
    assert_false(check_is_newer(record, true));
    assert_false(check_is_newer(record, false));
    touch();
    assert_true(check_is_newer(record, true));
    make_old(record);
    assert_false(check_is_newer(record, true));
    add_hidden();
    assert_true(check_is_newer(record, true));
    make_old(record);
    assert_false(check_is_newer(record, true));
    bake_record_destroy(record);
}

static void states_that_become_old_are_stored_once(void **state)
{
    (void)state;
    make_inputs();
    bake_record *record = make_record();
    /* All files are much older than this check, but not older than the run. */
    for (size_t i = 0; i < record->path_count; i++)
        record->paths[i].state.changed = record->paths[i].state.modified = 5;
    record->began = 4;
    assert_true(check_is_newer(record, true));
    bake_record_destroy(record);
}

static void a_link_is_followed_whatever_the_time_of_its_folder(void **state)
{
    (void)state;
    make_inputs();
    assert_int_equal(symlink("../late.yaml", "data/link.yaml"), 0);
    bake_record *record = make_record();
    make_old(record);
    check_changes(record, &record_def, true, "");
    make_file("late.yaml", "");
    check_changes(record, &record_def, true, "data: new file link.yaml\n");
    bake_record_destroy(record);
}

/* ---- runs without a record ---- */

static void read_pipe(bake_gateway *gateway)
{
    int ends[2], saved = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    bake_gateway_read(gateway, "-", NULL);
    dup2(saved, STDIN_FILENO);
    close(saved);
}
static void read_null(bake_gateway *gateway)
{
    bake_gateway_read(gateway, "/dev/null", NULL);
}
static void read_device(bake_gateway *gateway)
{
    bake_gateway_read(gateway, "/dev/zero", NULL);
}
static void read_late(bake_gateway *gateway)
{
    bake_gateway_read(gateway, "late", NULL);
    make_file("late", "");
    bake_gateway_read(gateway, "late", NULL);
}
static void examine_vanishing(bake_gateway *gateway)
{
    bake_gateway_is_regular(gateway, "pic.png");
    remove_examined();
    bake_gateway_is_regular(gateway, "pic.png");
}
static void read_too_large(bake_gateway *gateway)
{
    bake_gateway_set_input_max(gateway, 1);
    bake_gateway_read(gateway, "table.csv", NULL);
}
static void write_null(bake_gateway *gateway)
{
    begin(gateway, "/dev/null", "text");
}

static void some_runs_have_no_record(void **state)
{
    (void)state;
    static const struct {
        void (*use)(bake_gateway *);
        const char *path;
    } rows[] = {
        {read_pipe, "-"},    {read_null, "/dev/null"},       {read_device, "/dev/zero"},
        {read_late, "late"}, {examine_vanishing, "pic.png"}, {read_too_large, "table.csv"},
        {write_null, NULL},
    };
    make_inputs();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *path = "none";
        bake_gateway *gateway = create(NULL);
        assert_true(bake_gateway_keep_details(gateway));
        rows[i].use(gateway);
        commit(gateway, false, false);
        errno = 0;
        assert_null(bake_record_make(&record_def, gateway, NULL, &path));
        assert_int_equal(errno, EINVAL);
        if (rows[i].path)
            assert_string_equal(path, rows[i].path);
        else
            assert_null(path);
        bake_gateway_destroy(gateway);
    }
}

static void outputs_that_were_discarded_are_not_recorded(void **state)
{
    (void)state;
    const char *path;
    bake_gateway *gateway = create(NULL);
    assert_true(bake_gateway_keep_details(gateway));
    begin(gateway, "one", "text");
    bake_gateway_discard_outputs(gateway);
    begin(gateway, "two", "text");
    commit(gateway, false, false);
    bake_record *record = bake_record_make(&record_def, gateway, NULL, &path);
    assert_non_null(record);
    assert_int_equal(bake_record_output_count(record), 1);
    assert_string_equal(bake_record_output(record, 0), "two");
    assert_int_equal(bake_record_warnings(record), 0);
    bake_gateway_destroy(gateway);
    bake_record_destroy(record);
}

static void messages_are_kept_in_every_form(void **state)
{
    (void)state;
    static const char *const parts[BAKE_MESSAGE_FORMS] = {
        "a.yaml:1:1: warning: path: a message [rule]\n  1 | one\n", "\033[",
        "{\"severity\":\"warning\",\"rule\":\"rule\"", "\"version\": \"2.1.0\""};
    make_inputs();
    bake_record *record = make_record();
    assert_int_equal(bake_record_warnings(record), 1);
    for (int form = 0; form < BAKE_MESSAGE_FORMS; form++) {
        size_t size;
        const char *text = bake_record_messages(record, (bake_message_form)form, &size);
        assert_int_equal(strlen(text), size);
        if (!strstr(text, parts[form]))
            fail_msg("%s", text);
    }
    bake_record_destroy(record);
}

/* ---- runs that use only some of the paths ---- */

static bool is_key(const bake_record *record, kiln_hash128 key)
{
    kiln_hash128 own = bake_record_key(record);
    return own.low == key.low && own.high == key.high;
}

static void a_key_identifies_results_but_not_states(void **state)
{
    (void)state;
    make_inputs();
    bake_record *record = make_record();
    kiln_hash128 key = bake_record_key(record);
    record->paths[0].state.modified++;
    record->outputs[0].state.inode++;
    record->began++;
    assert_true(is_key(record, key));
    record->outputs[0].hash.high ^= 1;
    assert_false(is_key(record, key));
    record->outputs[0].hash.high ^= 1;
    record->path_count--;
    assert_false(is_key(record, key));
    record->path_count++;
    record->options[0].value = "4";
    assert_false(is_key(record, key));
    record->options[0].value = "3";
    record->version = "0.1.1";
    assert_false(is_key(record, key));
    record->version = "0.1.0";
    assert_true(is_key(record, key));
    bake_record_destroy(record);
}

static void read_changed(bake_gateway *gateway)
{
    assert_non_null(bake_gateway_read(gateway, "a.yaml", NULL));
}

/* Of a run in which only a.yaml may have changed. */
static bool update(bake_record *record, const bake_gateway *gateway)
{
    static const char *const changed[] = {"a.yaml"};
    const bake_record_update to = {
        .def = &record_def, .gateway = gateway, .changed = changed, .changed_count = 1};
    return bake_record_update_paths(record, &to) && bake_record_update_outputs(record, gateway);
}

static void a_partial_run_updates_the_record(void **state)
{
    (void)state;
    make_inputs();
    bake_record *record = make_record();
    kiln_hash128 key = bake_record_key(record);
    make_file("a.yaml", "other");
    check_changes(record, &record_def, false, "a.yaml: content changed\n");
    bake_gateway *gateway = create(NULL);
    assert_true(bake_gateway_keep_details(gateway));
    read_changed(gateway);
    assert_true(bake_gateway_path_kind(gateway, "pic.png") == BAKE_PATH_FILE);
    assert_true(write_output(gateway));
    assert_true(update(record, gateway));
    assert_false(is_key(record, key));
    check_changes(record, &record_def, false, "");
    check_changes(record, &record_def, true, "");
    bake_gateway_destroy(gateway);
    bake_record_destroy(record);
}

static void read_changed_other(bake_gateway *gateway)
{
    make_file("data/b.yaml", "other");
    assert_non_null(bake_gateway_read(gateway, "data/b.yaml", NULL));
}

static void read_unknown(bake_gateway *gateway)
{
    make_file("unknown.yaml", "new");
    assert_non_null(bake_gateway_read(gateway, "unknown.yaml", NULL));
}

static void read_examined(bake_gateway *gateway)
{
    make_file("pic.png", "x");
    assert_non_null(bake_gateway_read(gateway, "pic.png", NULL));
}

static void find_missing(bake_gateway *gateway)
{
    make_file("missing.yaml", "here");
    assert_true(bake_gateway_path_kind(gateway, "missing.yaml") == BAKE_PATH_FILE);
}

static void list_folder(bake_gateway *gateway)
{
    size_t count;
    assert_non_null(bake_gateway_list(gateway, "data", NULL, &count, NULL));
}

static void get_unknown_variable(bake_gateway *gateway)
{
    const char *value;
    assert_true(bake_gateway_getenv(gateway, RECORD_VARIABLE "_3", &value));
}

static void get_changed_variable(bake_gateway *gateway)
{
    const char *value;
    assert_int_equal(setenv(RECORD_VARIABLE, "y", 1), 0);
    assert_true(bake_gateway_getenv(gateway, RECORD_VARIABLE, &value));
}

static void write_unknown(bake_gateway *gateway)
{
    const char *path;
    bake_output *output = bake_output_begin(gateway, "out/y.kiln");
    assert_non_null(output);
    assert_true(bake_output_write(output, "bytes", 5));
    assert_true(bake_gateway_commit(gateway, false, false, &path));
}

/* A path that only the partial run used is in the record afterwards. */
static void a_partial_run_can_use_other_paths(void **state)
{
    (void)state;
    static const struct {
        void (*use)(bake_gateway *);
        const char *path, *text, *expected;
    } rows[] = {
        {read_unknown, "unknown.yaml", "changed", "unknown.yaml: content changed\n"},
        {read_examined, "pic.png", "changed", "pic.png: content changed\n"},
    };
    make_inputs();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bake_record *record = make_record();
        bake_gateway *gateway = create(NULL);
        assert_true(bake_gateway_keep_details(gateway));
        read_changed(gateway);
        rows[i].use(gateway);
        assert_true(update(record, gateway));
        check_changes(record, &record_def, false, "");
        make_file(rows[i].path, rows[i].text);
        check_changes(record, &record_def, false, rows[i].expected);
        bake_gateway_destroy(gateway);
        bake_record_destroy(record);
        unlink("unknown.yaml");
    }
}

/* A variable that only the partial run read is in the record afterwards. */
static void a_partial_run_can_read_other_variables(void **state)
{
    (void)state;
    make_inputs();
    bake_record *record = make_record();
    bake_gateway *gateway = create(NULL);
    assert_true(bake_gateway_keep_details(gateway));
    read_changed(gateway);
    get_unknown_variable(gateway);
    assert_true(update(record, gateway));
    assert_true(update(record, gateway));
    check_changes(record, &record_def, false, "");
    assert_int_equal(setenv(RECORD_VARIABLE "_3", "y", 1), 0);
    check_changes(record, &record_def, false, "variable " RECORD_VARIABLE "_3: set now\n");
    assert_int_equal(unsetenv(RECORD_VARIABLE "_3"), 0);
    bake_gateway_destroy(gateway);
    bake_record_destroy(record);
}

static void a_partial_run_adds_and_removes_inputs(void **state)
{
    (void)state;
    static const char *const changed[] = {"a.yaml"}, *const added[] = {"new.yaml"},
                             *const removed[] = {"data/b.yaml"},
                             *const known[] = {"new.yaml", "pic.png"};
    static const bake_record_option options[] = {{"-s", "other.yaml"}};
    const bake_record_def def = {
        .version = record_def.version, .options = options, .option_count = 1};
    make_inputs();
    bake_record *record = make_record();
    size_t count = record->path_count;
    bake_gateway *gateway = create(NULL);
    make_file("new.yaml", "new");
    assert_true(bake_gateway_keep_details(gateway));
    read_changed(gateway);
    assert_non_null(bake_gateway_read(gateway, "new.yaml", NULL));
    bake_record_update to = {.def = &def,
                             .gateway = gateway,
                             .changed = changed,
                             .changed_count = 1,
                             .added = added,
                             .added_count = 1,
                             .removed = removed,
                             .removed_count = 1};
    assert_true(bake_record_update_paths(record, &to));
    assert_int_equal(record->path_count, count);
    make_file("data/b.yaml", "other");
    check_changes(record, &def, false, "");
    unlink("new.yaml");
    check_changes(record, &def, false, "new.yaml: missing\n");
    bake_record_destroy(record);
    /* The earlier use of an added path is unknown. */
    record = make_record();
    to.added = known;
    to.added_count = 2;
    assert_false(bake_record_update_paths(record, &to));
    bake_gateway_destroy(gateway);
    bake_record_destroy(record);
}

static void a_partial_run_replaces_the_names_for_hints(void **state)
{
    (void)state;
    size_t count;
    const char *failed = NULL;
    make_inputs();
    bake_gateway *gateway = create(NULL);
    assert_true(bake_gateway_keep_details(gateway));
    read_changed(gateway);
    assert_non_null(bake_gateway_names(gateway, ".", 100, &count));
    bake_record *record = bake_record_make(&record_def, gateway, NULL, &failed);
    assert_non_null(record);
    assert_true(bake_record_only_hints(record, "."));
    assert_false(bake_record_only_hints(record, "data"));
    bake_gateway_destroy(gateway);
    gateway = create(NULL);
    assert_true(bake_gateway_keep_details(gateway));
    read_changed(gateway);
    assert_non_null(bake_gateway_names(gateway, "data", 100, &count));
    assert_true(update(record, gateway));
    assert_false(bake_record_only_hints(record, "."));
    assert_true(bake_record_only_hints(record, "data"));
    bake_gateway_destroy(gateway);
    bake_record_destroy(record);
}

static void a_partial_run_that_uses_anything_else_is_refused(void **state)
{
    (void)state;
    static void (*const uses[])(bake_gateway *) = {read_changed_other, find_missing, list_folder,
                                                   get_changed_variable, write_unknown};
    make_inputs();
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        bake_record *record = make_record();
        bake_gateway *gateway = create(NULL);
        assert_true(bake_gateway_keep_details(gateway));
        read_changed(gateway);
        uses[i](gateway);
        if (update(record, gateway))
            fail_msg("use %zu is accepted", i);
        bake_gateway_destroy(gateway);
        bake_record_destroy(record);
        make_file("data/b.yaml", "two");
        make_file("pic.png", "");
        unlink("missing.yaml");
        assert_int_equal(setenv(RECORD_VARIABLE, "x", 1), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_change_is_found_by_content),
        TEST(every_change_is_found_by_state),
        TEST(every_change_is_found_shortly_after_the_run),
        TEST(every_change_of_an_option_is_named),
        TEST(a_check_ends_after_the_wanted_number_of_changes),
        TEST(deferred_outputs_are_compared_if_nothing_else_has_changed),
        TEST(only_old_states_are_trusted),
        TEST(new_states_of_equal_content_are_stored),
        TEST(states_that_become_old_are_stored_once),
        TEST(a_link_is_followed_whatever_the_time_of_its_folder),
        TEST(some_runs_have_no_record),
        TEST(outputs_that_were_discarded_are_not_recorded),
        TEST(messages_are_kept_in_every_form),
        TEST(a_key_identifies_results_but_not_states),
        TEST(a_partial_run_updates_the_record),
        TEST(a_partial_run_can_use_other_paths),
        TEST(a_partial_run_can_read_other_variables),
        TEST(a_partial_run_adds_and_removes_inputs),
        TEST(a_partial_run_replaces_the_names_for_hints),
        TEST(a_partial_run_that_uses_anything_else_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
