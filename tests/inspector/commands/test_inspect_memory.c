/* Every allocation of every command fails in turn: one message, exit code 2, no leak. */
#include "inspect_call.h"

#include "insp_memory.h"
#include "sample_clusters.h"
#include "sample_redirects.h"
#include "sample_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static const char *const commands[] = {
    "info it",
    "info -f json it",
    "ls it",
    "ls it --sort size",
    "du it",
    "du -f json scenes",
    "stats it *.*",
    "type --data it",
    "type --data -f json it",
    "stats -f json scenes *.*",
    "du it --compare scenes",
    "dump it",
    "dump it Item/* first",
    "dump -f json it Item/sword",
    "dump -f yaml it",
    "dump --flat it",
    "dump --flat scenes",
    "diff it packed",
    "diff -f json --ignore *x packed it",
    "diff --stat scenes small",
    "diff -f json small scenes",
    "diff renamed packed",
    "get it Item/sword.tags",
    "get it Item/sword.twin->name Item/sword.tags[0] --mount plan",
    "verify it",
    "verify -f json it",
    "hex it",
    "hex -f json it",
    "hex --decompress packed Item/sword",
    "type it",
    "scene scenes",
    "scene scenes harbour",
    "scene --chunks -f json scenes",
    "scene scenes Scene/harbour door 4 5008",
    "find it 1 --mount more",
    "find packed --match text -f json sword",
    "find it --match regex s",
    "find it --match ref Item/* sword",
    "find it --match type Burn",
    "clusters plan",
    "refs it Item/*",
    "refs -f json it --mount plan Item/sword Node/*",
    "rdeps it Item/shield --mount plan",
    "why plan Level/one Node/deep",
    "orphans plan --root Level/one Node/*",
    "cycles -f json plan",
    "clusters -f json plan",
    "clusters -f dot plan",
    "clusters plan Node/lone",
    "dump -f yaml renamed",
    "get renamed Thing/a",
    "verify renamed",
    "verify -j 3 packed",
    "stats --all it Item.name Item.tags",
    "dump -f yaml scenes",
    "forecast scenes",
    "verify scenes",
    "export --to sqlite it.db it more --force",
    "export --to sqlite scenes.db scenes --force",
    "export --to sqlite renamed.db renamed --force",
    "export --to csv Item it",
    "export --to csv Door scenes",
    "export --to ndjson Burn it",
};

static void every_allocation_may_fail(void **state)
{
    const char *command = *state;
    long allowed = 0;
    int code = 2;
    if (!inspect_is_possible(command))
        skip();
    while (code == 2) {
        inspect_result result;
        insp_memory_fail_at(allowed++);
        result = inspect_call(command);
        insp_memory_fail_at(-1);
        code = result.code;
        assert_in_range(code, 0, 2);
        if (code == 2)
            assert_string_equal("kiln-inspect: out of memory\n", result.err);
        inspect_result_fini(&result);
        assert_in_range(allowed, 0, 100000);
    }
    /* The file lacks the types of some components; the compared files differ. */
    assert_int_equal(
        strcmp(command, "dump -f yaml scenes") == 0 || strncmp(command, "diff", 4) == 0, code);
    assert_true(allowed > 5);
}

int main(void)
{
    struct CMUnitTest tests[sizeof commands / sizeof commands[0]];
    kiln_buffer sample = sample_file(SAMPLE_FULL);
    size_t i;
    int failed;
    for (i = 0; i < sizeof commands / sizeof commands[0]; i++)
        tests[i] = (struct CMUnitTest){commands[i], every_allocation_may_fail, NULL, NULL,
                                       (void *)(uintptr_t)commands[i]};
    inspect_enter_folder();
    inspect_write("it", sample.data, sample.size);
    kiln_buffer_fini(&sample);
    sample = sample_file(SAMPLE_PACKED);
    inspect_write("packed", sample.data, sample.size);
    kiln_buffer_fini(&sample);
    sample = sample_file(SAMPLE_LINKED);
    inspect_write("more", sample.data, sample.size);
    kiln_buffer_fini(&sample);
    sample = sample_scene(SAMPLE_SCENE_SMALL);
    inspect_write("small", sample.data, sample.size);
    kiln_buffer_fini(&sample);
    sample = sample_scene(SAMPLE_SCENE_PACKED);
    inspect_write("scenes", sample.data, sample.size);
    kiln_buffer_fini(&sample);
    sample = sample_clusters(SAMPLE_CLUSTERS_PACKED);
    inspect_write("plan", sample.data, sample.size);
    kiln_buffer_fini(&sample);
    const sample_redirect renamed[] = {{"Thing/first", "Thing/a"}, {"Thing/gone", NULL}};
    sample = sample_redirects(renamed, 2, true);
    inspect_write("renamed", sample.data, sample.size);
    kiln_buffer_fini(&sample);
    failed = cmocka_run_group_tests_name("inspect_memory", tests, NULL, NULL);
    inspect_leave_folder();
    return failed;
}
