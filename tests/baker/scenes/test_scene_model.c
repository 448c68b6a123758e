/* Compares random prefabs with a simple model: each overrides its bases field by field, and nothing
 * is shared. */
#include "scene_text.h"

enum { PREFABS = 9, ENTITIES = 12, COMPONENTS = 3, ROUNDS = 150, PLACE_FIELDS = 2 };

static const char schema_text[] =
    "kiln: 1\n"
    "namespace: game\n"
    "types:\n"
    "  Place: {struct: {x: {type: i32, default: 0}, y: {type: i32, default: 0}}}\n"
    "  Near: {struct: {at: Place, n: {type: i32, default: 0}, l: {type: \"i32[2]\", default: [0, "
    "0]}, far: {type: Far, default: {}}}, component: true}\n"
    "  Far: {struct: {maybe: Place?}}\n"
    "  C0: {wrap: Near, component: true}\n"
    "  C1: {struct: {value: Near}, component: true}\n"
    "  C2: {struct: {value: Near}, component: true}\n"
    "files:\n"
    "  - {match: \"*.scene.yaml\", shape: scene}\n";

/* The values written for a Place. */
typedef struct place {
    bool has[PLACE_FIELDS];
    int value[PLACE_FIELDS];
} place;

/* The values written for a component. */
typedef struct part {
    bool present;
    bool has_at, has_n, has_l;
    place at;
    int n, l[2];
    bool has_far, has_maybe;
    bool is_null;  /* the last value written for `maybe` is null */
    bool is_fresh; /* overridden values are ignored */
    place maybe;
} part;

typedef struct thing {
    part parts[COMPONENTS];
} thing;

static uint64_t seed;

static unsigned pick(unsigned count)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % count;
}

static void put_place(place *under, const place *over)
{
    for (int i = 0; i < PLACE_FIELDS; i++)
        if (over->has[i]) {
            under->has[i] = true;
            under->value[i] = over->value[i];
        }
}

static void put_part(part *under, const part *over)
{
    under->present = true;
    under->has_at |= over->has_at;
    put_place(&under->at, &over->at);
    if (over->has_n)
        under->n = over->n;
    if (over->has_l)
        memcpy(under->l, over->l, sizeof under->l);
    under->has_n |= over->has_n;
    under->has_l |= over->has_l;
    under->has_far |= over->has_far;
    if (!over->has_maybe)
        return;
    under->has_maybe = true;
    if (over->is_null || over->is_fresh || under->is_null) {
        memset(&under->maybe, 0, sizeof under->maybe);
        under->is_fresh = true;
    }
    under->is_null = over->is_null;
    if (!over->is_null)
        put_place(&under->maybe, &over->maybe);
}

static void put_thing(thing *under, const thing *over)
{
    for (int i = 0; i < COMPONENTS; i++)
        if (over->parts[i].present)
            put_part(&under->parts[i], &over->parts[i]);
}

static void write_place(FILE *out, place *made)
{
    static const char *const names[PLACE_FIELDS] = {"x", "y"};
    fputs("{", out);
    for (int i = 0; i < PLACE_FIELDS; i++) {
        made->has[i] = pick(2) == 0;
        made->value[i] = (int)pick(1000);
        if (made->has[i])
            fprintf(out, "%s: %d, ", names[i], made->value[i]);
    }
    fputs("}", out);
}

/* Writes some fields of a component. `at` has no default, so it is always written in case this is
 * the lowest layer. */
static part write_part(FILE *out, int number)
{
    part made;
    memset(&made, 0, sizeof made);
    made.present = true;
    fprintf(out, "C%d: %s{at: ", number, number ? "{value: " : "");
    made.has_at = true;
    write_place(out, &made.at);
    made.has_n = pick(2) == 0;
    made.has_l = pick(3) == 0;
    made.has_maybe = made.has_far = pick(2) == 0;
    made.n = (int)pick(100);
    made.l[0] = (int)pick(100);
    made.l[1] = (int)pick(100);
    if (made.has_n)
        fprintf(out, ", n: %d", made.n);
    if (made.has_l)
        fprintf(out, ", l: [%d, %d]", made.l[0], made.l[1]);
    if (made.has_maybe) {
        fputs(", far: {maybe: ", out);
        made.is_null = pick(3) == 0;
        if (made.is_null)
            fputs("~", out);
        else
            write_place(out, &made.maybe);
        fputs("}", out);
    }
    fputs(number ? "}}, " : "}, ", out);
    return made;
}

/* Writes a prefab or entity whose bases are among the first `count` prefabs. */
static thing write_thing(FILE *out, const thing *prefabs, unsigned count)
{
    thing made;
    memset(&made, 0, sizeof made);
    unsigned bases = count ? pick(3) : 0;
    if (bases) {
        fputs("base: [", out);
        for (unsigned i = 0; i < bases; i++) {
            unsigned base = pick(count);
            fprintf(out, "p%u, ", base);
            put_thing(&made, &prefabs[base]);
        }
        fputs("], ", out);
    }
    for (int i = 0; i < COMPONENTS; i++)
        if (made.parts[i].present && pick(5) == 0) {
            fprintf(out, "remove: C%d, ", i);
            memset(&made.parts[i], 0, sizeof made.parts[i]);
            break;
        }
    fputs("components: {", out);
    for (int i = 0; i < COMPONENTS; i++)
        if (pick(2) == 0) {
            part over = write_part(out, i);
            put_part(&made.parts[i], &over);
        }
    fputs("}", out);
    return made;
}

static void tell_place(FILE *out, const place *told)
{
    fprintf(out, "{x:%d y:%d}", told->has[0] ? told->value[0] : 0,
            told->has[1] ? told->value[1] : 0);
}

static void tell_thing(FILE *out, unsigned number, const thing *told)
{
    fprintf(out, "e%u:", number);
    for (int i = 0; i < COMPONENTS; i++) {
        const part *p = &told->parts[i];
        if (!p->present)
            continue;
        fprintf(out, " C%d{value:{at:", i);
        tell_place(out, &p->at);
        fprintf(out, " n:%d l:[%d %d] far:{maybe:", p->has_n ? p->n : 0, p->has_l ? p->l[0] : 0,
                p->has_l ? p->l[1] : 0);
        if (p->has_maybe && !p->is_null)
            tell_place(out, &p->maybe);
        else
            fputs("-", out);
        fputs("}}}", out);
    }
    fputs("\n", out);
}

static void random_prefabs_agree_with_the_model(void **state)
{
    (void)state;
    fixture_write("s.yaml", schema_text);
    assert_int_equal(system("rm -rf in && mkdir in"), 0);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        thing prefabs[PREFABS], made;
        char *lines[ENTITIES];
        size_t size;
        seed = round;
        FILE *out = fopen("in/room.scene.yaml", "w");
        assert_non_null(out);
        fputs("prefabs:\n", out);
        for (unsigned i = 0; i < PREFABS; i++) {
            fprintf(out, "  p%u: {", i);
            prefabs[i] = write_thing(out, prefabs, i);
            fputs("}\n", out);
        }
        fputs("entities:\n", out);
        for (unsigned i = 0; i < ENTITIES; i++) {
            fprintf(out, "  - {name: e%u, ", i);
            made = write_thing(out, prefabs, PREFABS);
            fputs("}\n", out);
            FILE *line = open_memstream(&lines[i], &size);
            assert_non_null(line);
            tell_thing(line, i, &made);
            fclose(line);
        }
        fclose(out);
        bake_all();
        char *text = scene_text("Scene", "room");
        for (unsigned i = 0; i < ENTITIES; i++) {
            if (!strstr(text, lines[i]))
                fail_msg("round %d: expected %s in\n%s", (int)round, lines[i], text);
            free(lines[i]);
        }
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_prefabs_agree_with_the_model),
    };
    return cmocka_run_group_tests(tests, fixture_enter, fixture_leave);
}
