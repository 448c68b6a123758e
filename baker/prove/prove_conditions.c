/* For newlocale and personality. */
#define _GNU_SOURCE

#include "prove_conditions.h"

#include <errno.h>
#include <locale.h>
#include <string.h>
#include <sys/stat.h>

#ifdef __linux__
#include <sys/personality.h>
#endif

extern char **environ;

/* At any time, the date in one of the two time zones differs from that in UTC. In the form of POSIX
 * they need no database. */
static const bake_condition conditions[] = {
    {.name = "in a repeated run"},
    {.name = "with one thread", .jobs = "1"},
    {.name = "with two threads", .jobs = "2"},
    {.name = "with eight threads", .jobs = "8"},
    {.name = "in the locale C", .locale = "C"},
    {.name = "in another locale", .locale = ""},
    {.name = "in a time zone west of UTC (TZ=KILN+12)", .zone = "KILN+12"},
    {.name = "in a time zone east of UTC (TZ=KILN-14)", .zone = "KILN-14"},
    {.name = "with names of folders in reverse order", .reverses_folders = true},
    {.name = "with another address layout", .changes_addresses = true},
    {.name = "with other hash seeds", .fixes_seeds = true},
    {.name = "with another umask", .changes_umask = true},
    {.name = "with all changes at once",
     .jobs = "8",
     .zone = "KILN-14",
     .locale = "",
     .reverses_folders = true,
     .changes_addresses = true,
     .fixes_seeds = true,
     .changes_umask = true},
};

const bake_condition *bake_conditions(size_t *ret_count)
{
    *ret_count = sizeof conditions / sizeof *conditions;
    return conditions;
}

/* ---- the environment ---- */

/* A locale that the system has. Programs treat one that it lacks like C. Turkish has unusual rules
 * for the letter i; the others write numbers with a comma. */
static const char *other_locale(void)
{
    static const char *const names[] = {"tr_TR.UTF-8", "tr_TR.utf8",  "de_DE.UTF-8",
                                        "de_DE.utf8",  "fr_FR.UTF-8", "C.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        locale_t locale = newlocale(LC_ALL_MASK, names[i], (locale_t)0);
        if (locale != (locale_t)0) {
            freelocale(locale);
            return names[i];
        }
    }
    return names[0];
}

typedef struct variables {
    char **items;
    size_t count;
    bake_store *store;
    bool failed;
} variables;

static bool is_variable(const char *item, const char *name)
{
    size_t length = strlen(name);
    return strncmp(item, name, length) == 0 && item[length] == '=';
}

/* Sets a variable, or with NULL removes it. */
static void set(variables *v, const char *name, const char *value)
{
    size_t kept = 0;
    for (size_t i = 0; i < v->count; i++)
        if (!is_variable(v->items[i], name))
            v->items[kept++] = v->items[i];
    v->count = kept;
    if (!value)
        return;
    char *item = bake_store_join(v->store, name, '=', value);
    v->failed = v->failed || !item;
    if (item)
        v->items[v->count++] = item;
}

/* A value so large that the stack begins in another page. */
static const char *padding(variables *v)
{
    enum { SIZE = 60000 };
    char *text = bake_store_alloc(v->store, SIZE, 1);
    v->failed = v->failed || !text;
    if (text)
        memset(text, 'x', SIZE - 1);
    return text;
}

char **bake_condition_environment(const bake_condition *condition, bake_store *store)
{
    static const bake_condition none = {.name = ""};
    const bake_condition *c = condition ? condition : &none;
    variables v = {.store = store};
    enum { ADDED_MAX = 16 };
    size_t count = 0;
    while (environ && environ[count])
        count++;
    v.items = bake_store_alloc(store, count + ADDED_MAX, sizeof *v.items);
    if (!v.items)
        return NULL;
    for (; v.count < count; v.count++)
        v.items[v.count] = environ[v.count];
    set(&v, "MAKEFLAGS", NULL);
    if (c->zone)
        set(&v, "TZ", c->zone);
    if (c->locale) {
        const char *locale = *c->locale ? c->locale : other_locale();
        set(&v, "LC_ALL", locale);
        set(&v, "LANG", locale);
        set(&v, "LANGUAGE", NULL);
    }
    if (c->fixes_seeds) {
        set(&v, "PYTHONHASHSEED", "20261123");
        set(&v, "PERL_HASH_SEED", "20261123");
    }
    if (c->changes_addresses)
        set(&v, "KILN_PROVE_PADDING", padding(&v));
    v.items[v.count] = NULL;
    return v.failed ? NULL : v.items;
}

/* ---- the process ---- */

static bool change_addresses(bake_condition_state *before)
{
#ifdef __linux__
    before->personality = personality(0xffffffff);
    if (before->personality < 0)
        return false;
    before->has_personality = true;
    return personality((unsigned long)(before->personality ^ ADDR_NO_RANDOMIZE)) >= 0;
#else
    (void)before;
    errno = ENOSYS;
    return false;
#endif
}

bool bake_condition_begin(const bake_condition *condition, bake_condition_state *ret_before)
{
    *ret_before = (bake_condition_state){0};
    if (condition && condition->changes_umask) {
        ret_before->mask = umask(077);
        ret_before->has_mask = true;
        if (ret_before->mask == 077)
            umask(022);
    }
    return !condition || !condition->changes_addresses || change_addresses(ret_before);
}

void bake_condition_end(const bake_condition_state *before)
{
    if (before->has_mask)
        umask(before->mask);
#ifdef __linux__
    if (before->has_personality)
        personality((unsigned long)before->personality);
#endif
}
