/* The conditions of prove: each changes something, and leaves the process unchanged. */
#include "bake_fixture.h"

#include "prove_conditions.h"

#include <sys/stat.h>

extern char **environ;

static const char *value_of(char **environment, const char *name)
{
    size_t length = strlen(name);
    const char *value = NULL;
    int count = 0;
    for (; *environment; environment++)
        if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=') {
            value = *environment + length + 1;
            count++;
        }
    assert_in_range(count, 0, 1);
    return value;
}

static void the_environment_of_each_condition_is_complete(void **state)
{
    size_t count;
    const bake_condition *conditions = bake_conditions(&count);
    (void)state;
    setenv("TZ", "Mars", 1);
    setenv("LANGUAGE", "tr", 1);
    setenv("MAKEFLAGS", "-j8", 1);
    setenv("KILN_TEST", "kept", 1);
    for (size_t i = 0; i <= count; i++) {
        bake_store store = {0};
        const bake_condition *c = i < count ? &conditions[i] : NULL;
        char **environment = bake_condition_environment(c, &store);
        assert_non_null(environment);
        assert_string_equal(value_of(environment, "KILN_TEST"), "kept");
        assert_null(value_of(environment, "MAKEFLAGS"));
        assert_string_equal(value_of(environment, "TZ"), c && c->zone ? c->zone : "Mars");
        assert_true(!value_of(environment, "LANGUAGE") == (c && c->locale));
        if (c && c->locale)
            assert_string_equal(value_of(environment, "LC_ALL"), value_of(environment, "LANG"));
        assert_true(!value_of(environment, "PYTHONHASHSEED") == !(c && c->fixes_seeds));
        assert_true(!value_of(environment, "KILN_PROVE_PADDING") == !(c && c->changes_addresses));
        bake_store_fini(&store);
    }
    assert_string_equal(getenv("MAKEFLAGS"), "-j8");
    unsetenv("TZ");
    unsetenv("MAKEFLAGS");
}

static void the_last_condition_changes_everything(void **state)
{
    size_t count;
    const bake_condition *all = bake_conditions(&count) + count - 1;
    (void)state;
    assert_true(all->jobs && all->zone && all->locale && all->reverses_folders &&
                all->changes_addresses && all->fixes_seeds && all->changes_umask);
}

static void the_umask_is_restored_and_always_changes(void **state)
{
    static const bake_condition condition = {.name = "", .changes_umask = true};
    static const mode_t masks[] = {022, 077, 0};
    (void)state;
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        bake_condition_state before;
        mode_t old = umask(masks[i]);
        assert_true(bake_condition_begin(&condition, &before));
        mode_t inside = umask(0);
        assert_int_not_equal(inside, masks[i]);
        umask(inside);
        bake_condition_end(&before);
        assert_int_equal(umask(old), masks[i]);
    }
}

static void a_condition_without_changes_changes_nothing(void **state)
{
    bake_condition_state before;
    (void)state;
    mode_t old = umask(027);
    assert_true(bake_condition_begin(NULL, &before));
    bake_condition_end(&before);
    assert_int_equal(umask(old), 027);
}

static void a_failed_allocation_gives_no_environment(void **state)
{
    size_t count;
    const bake_condition *all = bake_conditions(&count) + count - 1;
    bool failed = true;
    (void)state;
    for (long n = 0; failed; n++) {
        bake_store store = {0};
        bake_memory_fail_at(n);
        char **environment = bake_condition_environment(all, &store);
        failed = bake_memory_has_failed();
        bake_memory_fail_after(-1);
        assert_true(!environment == failed);
        bake_store_fini(&store);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_enter, fixture_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_environment_of_each_condition_is_complete),
        TEST(the_last_condition_changes_everything),
        TEST(the_umask_is_restored_and_always_changes),
        TEST(a_condition_without_changes_changes_nothing),
        TEST(a_failed_allocation_gives_no_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
