#include "disk_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* At the start there are a file `out/old` and an unsynced file `out/fresh`. */
typedef struct record_case {
    const char *what;
    const char *record;
    const char *path;
    unsigned possible;
} record_case;

static const record_case cases[] = {
    {"an untouched file exists", "", "out/old", DISK_OLD},
    {"a file that was never created does not exist", "", "out/new", DISK_ABSENT},
    {"an opened file is unchanged", "open 3 w out/old\nclose 0 3\n", "out/old", DISK_OLD},
    {"a written file may be incomplete", "open 3 w out/old\nwrite 5 3\n", "out/old", DISK_HALF},
    {"a truncated file may be incomplete", "open 3 w out/old\nftruncate 0 3\n", "out/old",
     DISK_HALF},
    {"open may truncate a file", "open 3 wct out/old\n", "out/old", DISK_HALF},
    {"a failed write changes nothing", "open 3 w out/old\nwrite -1 3\n", "out/old", DISK_OLD},
    {"a new file may exist or not", "open 3 wc out/new\nfsync 0 3\n", "out/new",
     DISK_ABSENT | DISK_NEW},
    {"an unsynced new file may be incomplete", "open 3 wc out/new\nwrite 5 3\nclose 0 3\n",
     "out/new", DISK_ABSENT | DISK_HALF},
    {"a failed sync has no effect", "open 3 wc out/new\nwrite 5 3\nfsync -1 3\n", "out/new",
     DISK_ABSENT | DISK_HALF},
    {"a synced folder keeps its new file",
     "open 3 wc out/new\nwrite 5 3\nfsync 0 3\nclose 0 3\nopen 3 r out/\nfsync 0 3\n", "out/new",
     DISK_NEW},
    {"syncing another folder has no effect",
     "open 3 wc out/new\nwrite 5 3\nfsync 0 3\nclose 0 3\nopen 3 r .\nfsync 0 3\n", "out/new",
     DISK_ABSENT | DISK_NEW},
    {"renaming an unsynced file may leave an incomplete file",
     "open 3 wc out/t\nwrite 5 3\nclose 0 3\nrename 0 out/t\tout/old\n", "out/old",
     DISK_OLD | DISK_HALF},
    {"a sync after the rename completes the file",
     "open 3 wc out/t\nwrite 5 3\nrename 0 out/t\tout/old\nfsync 0 3\n", "out/old",
     DISK_OLD | DISK_NEW},
    {"a write after the sync makes the file incomplete",
     "open 3 wc out/t\nwrite 5 3\nfsync 0 3\nwrite 5 3\nrename 0 out/t\tout/old\n", "out/old",
     DISK_OLD | DISK_HALF},
    {"a rename may be undone",
     "open 3 wc out/t\nwrite 5 3\nfsync 0 3\nclose 0 3\nrename 0 out/t\tout/old\n", "out/old",
     DISK_OLD | DISK_NEW},
    {"a failed rename changes nothing",
     "open 3 wc out/t\nwrite 5 3\nfsync 0 3\nclose 0 3\nrename -1 out/t\tout/old\n", "out/old",
     DISK_OLD},
    {"a rename in a synced folder is permanent",
     "open 3 wc out/t\nwrite 5 3\nfsync 0 3\nclose 0 3\nrename 0 out/t\tout/old\n"
     "open 4 r /root/out\nfsync 0 4\nclose 0 4\n",
     "./out/old", DISK_NEW},
    {"an unnamed file has no path", "open 3 wu out\nwrite 5 3\nfsync 0 3\n", "out/new",
     DISK_ABSENT},
    {"an unnamed file gets a name",
     "open 3 wu out\nwrite 5 3\nfsync 0 3\nlink 0 /proc/self/fd/3\tout/new\n", "out/new",
     DISK_ABSENT | DISK_NEW},
    {"giving a file a name does not sync the file",
     "open 3 wu out\nwrite 5 3\nlink 0 /proc/self/fd/3\tout/new\n", "out/new",
     DISK_ABSENT | DISK_HALF},
    {"locks and modes do not change data", "flock 0 3\nfchmod 0 3\nfchown 0 3\n", "out/old",
     DISK_OLD},
    {"a file that others did not sync may be incomplete or missing", "", "out/fresh",
     DISK_ABSENT | DISK_HALF},
    {"a sync by any program completes the file",
     "open 3 r out/fresh\nfsync 0 3\nclose 0 3\nopen 3 r out\nfsync 0 3\n", "out/fresh", DISK_OLD},
    {"a removal may be undone", "unlink 0 out/old\n", "out/old", DISK_ABSENT | DISK_OLD},
    {"a removal in a synced folder is permanent", "unlink 0 out/old\nopen 3 r out\nfsync 0 3\n",
     "out/old", DISK_ABSENT},
};

static void apply_all(disk *d, const char *record, bool *ret_known)
{
    char text[1024];
    snprintf(text, sizeof text, "%s", record);
    *ret_known = true;
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        *ret_known = disk_apply(d, line) && *ret_known;
    }
}

static void every_record_leaves_the_expected_states(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool known;
        disk *d = disk_create("/root");
        assert_non_null(d);
        disk_add_old(d, "/root/out/old");
        disk_add_unsynced(d, "out/fresh");
        apply_all(d, cases[i].record, &known);
        unsigned possible = disk_possible(d, cases[i].path);
        disk_destroy(d);
        if (!known || possible != cases[i].possible)
            fail_msg("%s: %x instead of %x", cases[i].what, possible, cases[i].possible);
    }
}

static void unknown_calls_are_refused(void **state)
{
    static const char *const records[] = {
        "link 0 a\tb\n", "link 0 /proc/self/fd/3\tb\n", "mkdir 0 a\n", "symlink 0 a\tb\n",
        "rename 0 a\n",  "rename 0 nothing\tb\n",       "open\n"};
    (void)state;
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        bool known;
        disk *d = disk_create("");
        assert_non_null(d);
        apply_all(d, records[i], &known);
        disk_destroy(d);
        if (known)
            fail_msg("%s", records[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_record_leaves_the_expected_states),
        cmocka_unit_test(unknown_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
