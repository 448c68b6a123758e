/* Paths of resources and states of atlases: the lookup, the counts and the messages. */
#include "failing_bake.h"

#include <sys/stat.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char schema[] =
    "kiln: 1\n"
    "types:\n"
    "  Sound: {wrap: string, path: {roots: [sounds, mods/sounds], absolute: sounds/deep}}\n"
    "  Any: {wrap: string, path: {is: any}}\n"
    "  Loose: {wrap: string, path: {roots: sounds, missing: accept}}\n"
    "  Warned: {wrap: string, path: {roots: sounds, missing: warn}}\n"
    "  Pair: {struct: {a: Sound, b: Sound?}, tuple: true}\n"
    "  Short: {struct: {a: Sound, n: {type: u8, default: 1}}, short: a}\n"
    "  One: {union: {sound: Sound, silence: }, by: tag}\n"
    "  Noise:\n"
    "    struct:\n"
    "      a: Sound?\n"
    "      all: {type: 'Sound[]', single: true, inherit: merge}\n"
    "      by: map<string, Sound>\n"
    "      pair: Pair?\n"
    "      short: Short?\n"
    "      one: One\n"
    "      any: Any?\n"
    "      loose: Loose?\n"
    "      warned: Warned?\n"
    "      short_default: {type: Sound, default: ''}\n"
    "    asset: true\n"
    "    inherit: true\n"
    "  Atlas: {wrap: string, path: atlases, states: {file: meta.json, names: 'states[].name'}}\n"
    "  Sheet: {wrap: string, path: atlases, states: {names: 'frames{}'}}\n"
    "  State: {wrap: string, state_of: sprite}\n"
    "  Layer:\n"
    "    struct:\n"
    "      state: {type: State, default: one}\n"
    "      sprite: Atlas?\n"
    "      below: Layer[]\n"
    "      more: {type: 'map<string, State>'}\n"
    "  Icon: {struct: {state: {type: string, state_of: sheet}}, short: state}\n"
    "  Sprite:\n"
    "    struct:\n"
    "      sprite: Atlas\n"
    "      state: {type: string?, state_of: sprite}\n"
    "      layers: {type: 'Layer[]', inherit: merge}\n"
    "      usual: {type: 'State[]', default: [one]}\n"
    "    component: row\n"
    "  Tagged: {struct: {sheet: Sheet?, icon: Icon?, pair: Marked?}, component: row}\n"
    "  Marked: {struct: {sheet: Sheet, state: {type: string, state_of: sheet}}, tuple: true}\n"
    "  Part: {union: {Sprite: Sprite, Tagged: Tagged}, by: {key: type}}\n"
    "  Thing:\n"
    "    struct: {parts: {type: 'Part[]', inherit: merge}}\n"
    "    asset: true\n"
    "    inherit: true\n"
    "  Mark: {struct: {state: State}}\n"
    "  Bit: {union: {Mark: Mark}, by: {key: type}}\n"
    "  Wall:\n"
    "    struct:\n"
    "      sprite: {type: Atlas, default: a}\n"
    "      bits: {type: 'Bit[]', inherit: merge}\n"
    "      plain: 'map<string, Plain>'\n"
    "    asset: true\n"
    "    inherit: true\n"
    "  Plain: {struct: {sprite: Atlas?, state: {type: string, default: two, state_of: sprite}}}\n"
    "files:\n"
    "  - {match: '*.map.yaml', shape: scene, keys: {by: type}, prefabs: Thing.parts}\n"
    "  - {match: '*.patch.yaml', shape: kinds, patch: true}\n";

static void write_project(void)
{
    assert_int_equal(
        system("mkdir -p in/sounds/deep in/mods/sounds in/atlases/a in/atlases/b in/atlases/none "
               "outside && : > in/sounds/bell.ogg && : > in/sounds/deep/low.ogg && : > "
               "in/mods/sounds/horn.ogg && : > outside/far.ogg && ln -s ../../outside "
               "in/sounds/out && ln -s loop in/sounds/loop && ln -s . in/sounds/self"),
        0);
    fixture_write("in/s.yaml", schema);
    fixture_write("in/atlases/a/meta.json",
                  "{\n"
                  "\t\"states\": [{\"name\": \"one\"}, {\"name\": \"two\"}]\n"
                  "}\n");
    fixture_write("in/atlases/b/meta.json", "states:\n"
                                            "- name: three\n"
                                            "- {name: one, size: 4}\n");
    fixture_write("in/atlases/none/meta.json", "states: []\n");
    fixture_write("in/atlases/sheet.yaml", "frames: {left: {x: 0}, right: ~}\n");
}

/* Returns the lines of errors and warnings, without excerpts and hints. The caller frees the
 * string. */
static char *lines_said(const char *arguments, int *ret_code)
{
    char *out, *err, *kept = NULL;
    size_t size = 0;
    *ret_code = bake_call(arguments, &out, &err);
    FILE *stream = open_memstream(&kept, &size);
    assert_non_null(stream);
    for (char *line = strtok(err, "\n"); line; line = strtok(NULL, "\n"))
        if (strstr(line, " error: ") || strstr(line, " warning: "))
            fprintf(stream, "%s\n", line);
    fclose(stream);
    free(out);
    free(err);
    return kept;
}

/* Bakes a document and compares the messages. */
static void expect(size_t row, const char *document, const char *arguments, const char *said)
{
    int code;
    if (document)
        fixture_write("in/d.yaml", document);
    char *lines = lines_said(arguments, &code);
    if (strcmp(lines, said) != 0)
        fail_msg("row %zu: printed\n"
                 "%sexpected\n"
                 "%s",
                 row, lines, said);
    assert_int_equal(code, strstr(said, "error: ") ? 1 : 0);
    free(lines);
}

#define BAKE "-q -s in/s.yaml -C in -o out.kiln d.yaml"

static void paths_are_looked_up_wherever_they_are_written(void **state)
{
    (void)state;
    static const struct {
        const char *document, *said;
    } rows[] = {
        {"Noise: {x: {a: bell.ogg, all: [horn.ogg, deep/low.ogg], by: {k: /low.ogg}, any: sounds,\n"
         "  pair: 'bell.ogg, horn.ogg', short: bell.ogg, one: !type:sound horn.ogg,\n"
         "  loose: nowhere, short_default: ''}}\n",
         ""},
        {"Noise: {x: {all: horn.ogg, any: s.yaml}}\n", ""},
        /* An empty path, the steps `.` and `..`, and a doubled slash. */
        {"Noise: {x: {all: ['', ./bell.ogg, deep//../bell.ogg, deep/./low.ogg], any: .}}\n", ""},
        /* Symbolic links are followed. */
        {"Noise: {x: {all: [out/far.ogg, self/self/self/bell.ogg]}}\n", ""},
        {"Noise: {x: {a: loop, all: [loop/x]}}\n",
         "in/d.yaml:1:16: error: Noise/x.a: cannot find the file \"loop\" in \"sounds\" or "
         "\"mods/sounds\" [resource]\n"
         "in/d.yaml:1:28: error: Noise/x.all[0]: cannot find the file \"loop/x\" in \"sounds\" or "
         "\"mods/sounds\" [resource]\n"},
        {"Noise: {x: {a: x}}\n", "in/d.yaml:1:16: error: Noise/x.a: cannot find the file \"x\" in "
                                 "\"sounds\" or \"mods/sounds\" [resource]\n"},
        {"Noise: {x: {all: x}}\n",
         "in/d.yaml:1:18: error: Noise/x.all: cannot find the file \"x\" in "
         "\"sounds\" or \"mods/sounds\" [resource]\n"},
        {"Noise: {x: {by: {k: x}}}\n",
         "in/d.yaml:1:21: error: Noise/x.by[\"k\"]: cannot find the file "
         "\"x\" in \"sounds\" or \"mods/sounds\" [resource]\n"},
        {"Noise: {x: {pair: 'bell.ogg, x'}}\n",
         "in/d.yaml:1:19: error: Noise/x.pair.b: cannot find the file \"x\" in \"sounds\" or "
         "\"mods/sounds\" [resource]\n"},
        {"Noise: {x: {pair: [x]}}\n", "in/d.yaml:1:20: error: Noise/x.pair.a: cannot find the file "
                                      "\"x\" in \"sounds\" or \"mods/sounds\" [resource]\n"},
        {"Noise: {x: {short: x}}\n", "in/d.yaml:1:20: error: Noise/x.short.a: cannot find the file "
                                     "\"x\" in \"sounds\" or \"mods/sounds\" [resource]\n"},
        {"Noise: {x: {one: !type:sound x}}\n",
         "in/d.yaml:1:18: error: Noise/x.one.sound: cannot find the file \"x\" in \"sounds\" or "
         "\"mods/sounds\" [resource]\n"},
        {"Noise: {x: {any: x}}\n",
         "in/d.yaml:1:18: error: Noise/x.any: cannot find the file or folder "
         "\"x\" in \".\" [resource]\n"},
        {"Noise: {x: {warned: x}}\n",
         "in/d.yaml:1:21: warning: Noise/x.warned: cannot find the file "
         "\"x\" in \"sounds\" [resource]\n"},
        /* Absolute paths are looked up only in the folder of the key `absolute`. */
        {"Noise: {x: {a: /bell.ogg}}\n", "in/d.yaml:1:16: error: Noise/x.a: cannot find the file "
                                         "\"/bell.ogg\" in \"sounds/deep\" [resource]\n"},
        {"Noise: {x: {a: deep, all: bell.ogg/}}\n",
         "in/d.yaml:1:16: error: Noise/x.a: \"deep\" in \"sounds\" is a folder, not a file "
         "[resource]\n"
         "in/d.yaml:1:27: error: Noise/x.all: cannot find the file \"bell.ogg/\" in \"sounds\" or "
         "\"mods/sounds\" [resource]\n"},
        /* Paths that are invalid as text, whether or not the file exists. */
        {"Noise: {x: {loose: ../bell.ogg, warned: deep/../../x, a: /.., all: 'a\\b'}}\n",
         "in/d.yaml:1:20: error: Noise/x.loose: \"../bell.ogg\" leaves the folder in which it "
         "starts [resource]\n"
         "in/d.yaml:1:41: error: Noise/x.warned: \"deep/../../x\" leaves the folder in which it "
         "starts [resource]\n"
         "in/d.yaml:1:58: error: Noise/x.a: \"/..\" leaves the folder in which it starts "
         "[resource]\n"
         "in/d.yaml:1:68: error: Noise/x.all: \"a\\b\" contains a backslash: use / to separate "
         "folders [resource]\n"},
        {"Noise: {x: {all: [..., .../..., a..b]}}\n",
         "in/d.yaml:1:19: error: Noise/x.all[0]: cannot find the file \"...\" in \"sounds\" or "
         "\"mods/sounds\" [resource]\n"
         "in/d.yaml:1:24: error: Noise/x.all[1]: cannot find the file \".../...\" in \"sounds\" or "
         "\"mods/sounds\" [resource]\n"
         "in/d.yaml:1:33: error: Noise/x.all[2]: cannot find the file \"a..b\" in \"sounds\" or "
         "\"mods/sounds\" [resource]\n"},
        /* Each path is reported once, at its first use, even if it is inherited. */
        {"Noise:\n"
         "  x: {all: [x, x], abstract: true}\n"
         "  y: {parent: x, all: [x]}\n"
         "  z: {parent: x, a: y, warned: x}\n",
         "in/d.yaml:2:13: error: Noise/x.all[0]: cannot find the file \"x\" in \"sounds\" or "
         "\"mods/sounds\", here and in 2 more places [resource]\n"
         "in/d.yaml:4:21: error: Noise/z.a: cannot find the file \"y\" in \"sounds\" or "
         "\"mods/sounds\" [resource]\n"
         "in/d.yaml:4:32: warning: Noise/z.warned: cannot find the file \"x\" in \"sounds\" "
         "[resource]\n"},
    };
    write_project();
    for (size_t i = 0; i < COUNT(rows); i++)
        expect(i, rows[i].document, BAKE, rows[i].said);
}

static void options_set_the_severity_of_missing_paths(void **state)
{
    (void)state;
    static const char document[] = "Noise: {x: {a: x, loose: y, warned: z}, y: {}}\n"
                                   "Thing: {t: {parts: [{type: Sprite, sprite: no, state: x}]}}\n";
    static const struct {
        const char *arguments, *outcomes; /* results for a, loose, warned and sprite: e, w or - */
        int code;
    } rows[] = {
        {"", "e-we", 1},
        {" --resources=schema", "e-we", 1},
        {" --resources=error", "eeee", 1},
        {" --resources=warn", "wwww", 0},
        {" --resources=accept", "----", 0},
        {" --resources=warn -Werror", "wwww", 1},
        {" --resources=accept -Werror", "----", 0},
        {" --resources=error --dry-run", "eeee", 1},
        {" --resources=warn --dry-run -Werror", "wwww", 1},
    };
    static const char *const fields[] = {"Noise/x.a", "Noise/x.loose", "Noise/x.warned",
                                         "Thing/t.parts[0].Sprite.sprite"};
    char arguments[200], error[100], warning[100];
    write_project();
    fixture_write("in/d.yaml", document);
    for (size_t i = 0; i < COUNT(rows); i++) {
        int code;
        remove("out.kiln");
        snprintf(arguments, sizeof arguments, "%s%s", BAKE, rows[i].arguments);
        char *said = lines_said(arguments, &code);
        assert_int_equal(code, rows[i].code);
        for (size_t f = 0; f < COUNT(fields); f++) {
            snprintf(error, sizeof error, " error: %s: ", fields[f]);
            snprintf(warning, sizeof warning, " warning: %s: ", fields[f]);
            if ((strstr(said, error) != NULL) != (rows[i].outcomes[f] == 'e') ||
                (strstr(said, warning) != NULL) != (rows[i].outcomes[f] == 'w'))
                fail_msg("row %zu, %s:\n"
                         "%s",
                         i, fields[f], said);
        }
        bool is_written = access("out.kiln", F_OK) == 0;
        assert_true(is_written == (code == 0));
        free(said);
        /* After an error nothing will be written, so no blob is built. */
        bool is_error = strchr(rows[i].outcomes, 'e') != NULL;
        snprintf(arguments, sizeof arguments, "-v%s%s", &BAKE[strlen("-q")], rows[i].arguments);
        char *out, *err;
        bake_call(arguments, &out, &err);
        if (is_error == (strstr(err, " bytes, from ") != NULL))
            fail_msg("row %zu: %s", i, err);
        free(out);
        free(err);
    }
}

static void hints_are_close_names_in_the_deepest_existing_folder(void **state)
{
    (void)state;
    static const struct {
        const char *path, *hint; /* NULL if there is none */
    } rows[] = {
        {"bel.ogg", "did you mean \"bell.ogg\"?"},
        {"dep/low.ogg", "did you mean \"deep/low.ogg\"?"},
        {"dep/lo.ogg", "did you mean \"deep\"?"},
        {"deep/./lo.ogg", "did you mean \"deep/low.ogg\"?"},
        {"/lo.ogg", "did you mean \"/low.ogg\"?"},
        {"hron.ogg", NULL}, /* hints name only files of the first root with this folder */
        {"quite/other", NULL},
        {".hidden", NULL},
        {"many/nam", NULL}, /* more than 4,096 names */
        {"few/nam", "did you mean \"few/name\"?"},
    };
    char document[200], *out, *err;
    write_project();
    assert_int_equal(system("mkdir in/sounds/many in/sounds/few && : > in/sounds/few/name && : > "
                            "in/sounds/many/name && cd in/sounds/many && seq 1 4096 | xargs touch"),
                     0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        snprintf(document, sizeof document, "Noise: {x: {a: %s}}\n", rows[i].path);
        fixture_write("in/d.yaml", document);
        assert_int_equal(bake_call(BAKE, &out, &err), 1);
        const char *hint = strstr(err, "hint: ");
        if (rows[i].hint ? !hint || strncmp(hint + 6, rows[i].hint, strlen(rows[i].hint)) != 0
                         : hint != NULL)
            fail_msg("%s: %s", rows[i].path, err);
        free(out);
        free(err);
    }
}

static void states_belong_to_the_nearest_atlas(void **state)
{
    (void)state;
    static const struct {
        const char *document, *said;
    } rows[] = {
        {"Thing: {t: {parts: [{type: Sprite, sprite: a, state: two,\n"
         "  layers: [{state: one}, {sprite: b, state: three, below: [{state: three}]}, {}]}]}}\n",
         ""},
        /* The fields may be in any order. */
        {"Thing: {t: {parts: [{type: Sprite, layers: [{state: two}], state: two, sprite: a}]}}\n",
         ""},
        {"Thing: {t: {parts: [{type: Sprite, state: three, sprite: a}]}}\n",
         "in/d.yaml:1:43: error: Thing/t.parts[0].Sprite.state: the atlas \"a\" has no state "
         "\"three\" [state]\n"},
        {"Thing: {t: {parts: [{type: Sprite, sprite: a, layers: [{state: three}]}]}}\n",
         "in/d.yaml:1:64: error: Thing/t.parts[0].Sprite.layers[0].state: the atlas \"a\" has no "
         "state \"three\" [state]\n"},
        {"Thing: {t: {parts: [{type: Sprite, layers: [{state: three, below: [{below:\n"
         "  [{state: three, more: {k: two, l: x}}], sprite: b}]}], sprite: a}]}}\n",
         "in/d.yaml:1:53: error: Thing/t.parts[0].Sprite.layers[0].state: the atlas \"a\" has no "
         "state \"three\" [state]\n"
         "in/d.yaml:2:29: error: Thing/t.parts[0].Sprite.layers[0].below[0].below[0].more[\"k\"]: "
         "the atlas \"b\" has no state \"two\" [state]\n"
         "in/d.yaml:2:37: error: Thing/t.parts[0].Sprite.layers[0].below[0].below[0].more[\"l\"]: "
         "the atlas \"b\" has no state \"x\" [state]\n"},
        /* A null atlas or state counts as missing. An empty string is an atlas without states to
         * check. */
        {"Thing: {t: {parts: [{type: Sprite, sprite: a, state: ~, layers: [{sprite: ~, state: x},\n"
         "  {sprite: '', state: y, below: [{state: z}]}, {state: ''}]}]}}\n",
         "in/d.yaml:1:85: error: Thing/t.parts[0].Sprite.layers[0].state: the atlas \"a\" has no "
         "state \"x\" [state]\n"},
        /* Defaults are checked where they are used, and reported once for each atlas. */
        {"Thing: {t: {parts: [{type: Sprite, sprite: b, usual: [three, one]},\n"
         "  {type: Sprite, sprite: a}]}}\n",
         ""},
        {"Thing: {t: {parts: [{type: Sprite, sprite: a}, {type: Sprite, sprite: none},\n"
         "  {type: Sprite, sprite: none}]}}\n",
         "in/s.yaml:39:42: error: Thing/t.parts[1].Sprite.usual[0]: the atlas \"none\" has no "
         "state \"one\" [state]\n"},
        {"Thing: {t: {parts: [{type: Tagged, sheet: sheet.yaml, icon: left},\n"
         "  {type: Tagged, icon: up, sheet: sheet.yaml}, {type: Tagged, icon: nobody looks},\n"
         "  {type: Tagged, pair: [sheet.yaml, right]}, {type: Tagged, pair: 'sheet.yaml, "
         "down'}]}}\n",
         "in/d.yaml:2:24: error: Thing/t.parts[1].Tagged.icon.state: the atlas \"sheet.yaml\" has "
         "no state \"up\" [state]\n"
         "in/d.yaml:3:67: error: Thing/t.parts[4].Tagged.pair.state: "
         "the atlas \"sheet.yaml\" has no state \"down\" [state]\n"},
        /* Inherited values. */
        {"Thing:\n"
         "  base: {abstract: true, parts: [{type: Sprite, state: two, layers: [{state: three}]}]}\n"
         "  x: {parent: base, parts: [{type: Sprite, sprite: a}]}\n"
         "  y: {parent: base, parts: [{type: Sprite, sprite: b}]}\n"
         "  z: {parent: y}\n"
         "  w: {parent: x, parts: [{type: Sprite, state: one, layers: [{state: four}]}]}\n",
         "in/d.yaml:2:56: error: Thing/y.parts[0].Sprite.state: the atlas \"b\" has no state "
         "\"two\" [state]\n"
         "in/d.yaml:2:78: error: Thing/w.parts[0].Sprite.layers[1].state: the atlas \"a\" has no "
         "state \"three\" [state]\n"
         "in/d.yaml:6:70: error: Thing/w.parts[0].Sprite.layers[0].state: the atlas \"a\" has no "
         "state \"four\" [state]\n"},
        {"Thing:\n"
         "  x: {parts: [{type: Sprite, sprite: a, state: two}]}\n"
         "  y: {parent: x, parts: [{type: Sprite, sprite: b}]}\n",
         "in/d.yaml:2:48: error: Thing/y.parts[0].Sprite.state: the atlas \"b\" has no state "
         "\"two\" [state]\n"},
        /* The atlas of an element that is inherited unchanged may differ from the parent's. */
        {"Wall:\n"
         "  v: {sprite: a, bits: [{type: Mark, state: two}], abstract: true}\n"
         "  x: {parent: v, bits: [{type: Mark}]}\n"
         "  y: {sprite: b, parent: x}\n"
         "  z: {sprite: none, parent: x}\n"
         "  w: {sprite: none, parent: x}\n",
         "in/d.yaml:2:45: error: Wall/w.bits[0].Mark.state: the atlas \"none\" has no state "
         "\"two\" "
         "[state]\n"
         "in/d.yaml:2:45: error: Wall/y.bits[0].Mark.state: the atlas \"b\" has no state \"two\" "
         "[state]\n"},
        {"Wall: {x: {plain: {a: {sprite: a}, b: {}, c: {sprite: b}}}}\n",
         "in/s.yaml:57:67: error: Wall/x.plain[\"c\"].state: the atlas \"b\" has no state \"two\" "
         "[state]\n"},
        /* An asset that inherits may override a default of an abstract asset, so the default's
         * state is not checked. A state written in an abstract asset is checked. */
        {"Wall:\n"
         "  v: {bits: [{type: Mark, state: three}], abstract: true}\n"
         "  x: {sprite: b, parent: v}\n"
         "  w: {sprite: a, bits: [{type: Mark, state: four}], abstract: true}\n",
         "in/d.yaml:4:45: error: Wall/w.bits[0].Mark.state: the atlas \"a\" has no state "
         "\"four\" [state]\n"},
        /* A missing atlas is treated as having every state. */
        {"Thing: {t: {parts: [{type: Sprite, sprite: no, state: x}]}}\n",
         "in/d.yaml:1:44: error: Thing/t.parts[0].Sprite.sprite: cannot find the folder \"no\" in "
         "\"atlases\" [resource]\n"},
        {"Thing: {t: {parts: [{type: Sprite, sprite: sheet.yaml, state: x}]}}\n",
         "in/d.yaml:1:44: error: Thing/t.parts[0].Sprite.sprite: \"sheet.yaml\" in \"atlases\" is "
         "a file, not a folder [resource]\n"},
    };
    write_project();
    for (size_t i = 0; i < COUNT(rows); i++)
        expect(i, rows[i].document, BAKE, rows[i].said);
}

static void states_of_patches_and_rows_are_checked(void **state)
{
    (void)state;
    static const char things[] =
        "Thing:\n"
        "  t: {parts: [{type: Sprite, sprite: a, state: two}]}\n"
        "  u: {parts: [{type: Sprite, sprite: b, state: one, layers: [{state: three}]}]}\n";
    static const struct {
        const char *path, *text, *said;
    } rows[] = {
        {"in/p.patch.yaml", "Thing: {u: {parts: [{type: Sprite, state: three}]}}\n", ""},
        {"in/p.patch.yaml", "Thing: {u: {parts: [{type: Sprite, state: two}]}}\n",
         "in/p.patch.yaml:1:43: error: Thing/u.parts[0].Sprite.state: the atlas \"b\" has no state "
         "\"two\" [state]\n"},
        {"in/m.map.yaml",
         "entities:\n"
         "- {base: t, components: [{type: Sprite, state: one}]}\n"
         "- base: t\n"
         "- {base: u, components: [{type: Sprite, layers: [{sprite: a, state: two}]}]}\n",
         ""},
        {"in/m.map.yaml",
         "entities:\n"
         "- {name: d, base: t, components: [{type: Sprite, sprite: a}]}\n"
         "- {name: e, base: t, components: [{type: Sprite, sprite: b}]}\n"
         "- {name: f, base: t, components: [{type: Sprite, sprite: b}]}\n"
         "- {name: g, base: u, components: [{type: Sprite, layers: [{state: two}]}]}\n"
         "- {name: h, base: t, components: [{type: Sprite, sprite: no}]}\n",
         "in/d.yaml:2:48: error: Scene/m.e.Sprite.state: the atlas \"b\" has no state \"two\" "
         "[state]\n"
         "in/m.map.yaml:5:67: error: Scene/m.g.Sprite.layers[0].state: the atlas \"b\" has no "
         "state \"two\" [state]\n"
         "in/m.map.yaml:6:58: error: Scene/m.h.Sprite.sprite: cannot find the folder \"no\" in "
         "\"atlases\" [resource]\n"},
    };
    write_project();
    fixture_write("in/d.yaml", things);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char arguments[200];
        snprintf(arguments, sizeof arguments, "%s %s", BAKE, rows[i].path + strlen("in/"));
        fixture_write(rows[i].path, rows[i].text);
        expect(i, NULL, arguments, rows[i].said);
    }
}

/* The same position is reported once, for example for all entities made from one prefab. */
static void each_position_counts_once(void **state)
{
    (void)state;
    write_project();
    fixture_write("in/m.map.yaml", "entities: [{base: t}, {base: t}, {base: t, components: "
                                   "[{type: Sprite, state: x}]}]\n");
    expect(0, "Thing: {t: {parts: [{type: Sprite, sprite: no}]}}\n", BAKE " m.map.yaml",
           "in/d.yaml:1:44: error: Scene/m[0].Sprite.sprite: cannot find the folder \"no\" in "
           "\"atlases\" [resource]\n");
}

/* Checked resources do not change the output, and only atlases are read. */
static void only_the_files_of_atlases_are_inputs(void **state)
{
    (void)state;
    size_t size, other_size;
    char *out, *err;
    write_project();
    fixture_write("in/d.yaml", "Noise: {x: {a: ./bell.ogg, loose: nowhere}}\n"
                               "Thing: {t: {parts: [{type: Sprite, sprite: ./a/, state: two}]}}\n");
    assert_int_equal(bake_call(BAKE " -MD", &out, &err), 0);
    free(out);
    free(err);
    char *rule = fixture_read("out.d", NULL), *bytes = fixture_read("out.kiln", &size);
    assert_non_null(strstr(rule, " in/atlases/a/meta.json"));
    assert_null(strstr(rule, "sounds"));
    assert_null(strstr(rule, "atlases/b"));
    assert_int_equal(system("mv in/sounds in/atlases ."), 0);
    assert_int_equal(bake_call(BAKE " --resources=accept -MD", &out, &err), 0);
    free(rule);
    free(out);
    free(err);
    rule = fixture_read("out.d", NULL);
    assert_null(strstr(rule, "meta.json"));
    char *other = fixture_read("out.kiln", &other_size);
    assert_int_equal(other_size, size);
    assert_memory_equal(other, bytes, size);
    free(rule);
    free(other);
    free(bytes);
}

/* Roots are relative to the folder of -C, which is the current folder by default. */
static void roots_are_relative_to_the_folder_of_the_inputs(void **state)
{
    (void)state;
    static const struct {
        const char *folder, *arguments;
        int code;
    } rows[] = {
        {"", "-q -s in/s.yaml -C in -o out.kiln d.yaml", 0},
        {"", "-q -s in/s.yaml -C in/ -o out.kiln d.yaml", 0},
        {"", "-q -s in/s.yaml -C ./in -o out.kiln d.yaml", 0},
        {"in", "-q -s s.yaml -o out.kiln d.yaml", 0},
        {"in", "-q -s s.yaml -C . -o out.kiln d.yaml", 0},
        {"in/sounds", "-q -s ../s.yaml -C .. -o out.kiln d.yaml", 0},
        {"", "-q -s in/s.yaml -o out.kiln in/d.yaml", 1},
        {"in/sounds", "-q -s ../s.yaml -o out.kiln ../d.yaml", 1},
    };
    write_project();
    fixture_write("in/d.yaml", "Noise: {x: {a: bell.ogg}}\n");
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *out, *err;
        assert_int_equal(chdir(fixture_folder), 0);
        assert_int_equal(*rows[i].folder ? chdir(rows[i].folder) : 0, 0);
        int code = bake_call(rows[i].arguments, &out, &err);
        if (code != rows[i].code)
            fail_msg("row %zu: %s", i, err);
        free(out);
        free(err);
    }
}

static void only_regular_files_are_read(void **state)
{
    (void)state;
    write_project();
    assert_int_equal(mkfifo("in/atlases/pipe.yaml", 0600), 0);
    expect(0, "Thing: {t: {parts: [{type: Tagged, sheet: pipe.yaml, icon: x}]}}\n", BAKE,
           "in/d.yaml:1:43: error: Thing/t.parts[0].Tagged.sheet: \"pipe.yaml\" in \"atlases\" is "
           "a device or pipe, not a file [resource]\n");
    assert_int_equal(system("rm in/atlases/a/meta.json && mkfifo in/atlases/a/meta.json"), 0);
    expect(1, "Thing: {t: {parts: [{type: Sprite, sprite: a, state: x}]}}\n", BAKE,
           "in/d.yaml:1:44: error: Thing/t.parts[0].Sprite.sprite: \"a\" in \"atlases\" lacks the "
           "states file \"meta.json\" [resource]\n");
}

/* Bakes a document with `many` repeated `count` times in the middle. Returns the messages, which
 * the caller frees. */
static char *bake_many(const char *before, const char *many, size_t count, const char *after,
                       int *ret_code)
{
    FILE *file = fopen("in/d.yaml", "wb");
    assert_non_null(file);
    fputs(before, file);
    for (size_t i = 0; i < count; i++)
        strchr(many, '%') ? fprintf(file, many, i) : fputs(many, file);
    fputs(after, file);
    assert_int_equal(fclose(file), 0);
    return lines_said(BAKE, ret_code);
}

static void large_inputs_take_linear_time(void **state)
{
    (void)state;
    static const struct {
        const char *before, *many, *after, *said; /* expected content; "" for none */
        size_t count;
    } rows[] = {
        {"Noise: {x: {a: ", "a/b%zu", "}}\n",
         "is longer than the maximum of 4,095 bytes for a path", 200000},
        {"Noise: {x: {a: ", "../x/", "}}\n", "is longer than the maximum of 4,095 bytes", 200000},
        {"Noise: {x: {a: ", "self/", "bell.ogg}}\n", "cannot find the file", 800},
        {"Noise: {x: {all: [", "no%zu,", "]}}\n", "cannot find the file \"no7\"", 20000},
        {"Noise: {x: {all: [", "nothing,", "]}}\n", "and in 99999 more places", 100000},
        /* All states are checked against the single atlas, which comes after them. */
        {"Thing: {t: {parts: [{type: Sprite, layers: [", "{state: two},", "], sprite: a}]}}\n", "",
         100000},
        {"Thing: {t: {parts: [{type: Sprite, layers: [", "{state: s%zu},", "], sprite: a}]}}\n",
         "the atlas \"a\" has no state \"s7\" [state]\n", 20000},
        {"Thing: {t: {parts: [{type: Sprite, layers: [", "{sprite: b, state: three},",
         "], sprite: a}]}}\n", "", 100000},
    };
    write_project();
    for (size_t i = 0; i < COUNT(rows); i++) {
        int code;
        char *said = bake_many(rows[i].before, rows[i].many, rows[i].count, rows[i].after, &code);
        if (*rows[i].said ? code != 1 || !strstr(said, rows[i].said) : code != 0)
            fail_msg("row %zu: code %d, %.2000s", i, code, said);
        free(said);
    }
}

static void invalid_atlas_files_are_reported(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } rows[] = {
        {"", "expected a single document"},
        {"states: [{name: one}]\n"
         "---\n"
         "states: []\n",
         "expected a single document"},
        {"states: [{name: one}, {name: one}]\n", ""},
        {"\xef\xbb\xbf{\"states\": [{\"name\": \"\\u006fne\"}]}", ""},
        {"states: [{name: [one]}]\n", "expected a state name"},
        {"states: [{name: \"a\\0b\"}]\n", "expected a state name"},
        {"states: {name: one}\n", "expected a list"},
        {"[one]\n", "expected a mapping"},
        {"states: [*one]\n", "[alias]"},
        {"states: [{name: one\n", "[yaml]"},
        {"a: &a [x,x,x,x,x,x,x,x,x,x]\n"
         "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
         "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
         "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
         "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n"
         "f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"
         "states: [*f,*f]\n",
         "[alias-bomb]"},
    };
    write_project();
    fixture_write("in/d.yaml",
                  "Thing: {t: {parts: [{type: Sprite, sprite: a, state: one, layers: [{}]}]}}\n");
    for (size_t i = 0; i < COUNT(rows); i++) {
        int code;
        fixture_write("in/atlases/a/meta.json", rows[i].text);
        char *said = lines_said(BAKE, &code);
        bool is_there = strncmp(said, "in/atlases/a/meta.json:", 23) == 0;
        if (*rows[i].said ? code != 1 || !is_there || !strstr(said, rows[i].said)
                          : code != 0 || *said)
            fail_msg("row %zu: code %d, %s", i, code, said);
        free(said);
    }
}

static void no_failing_allocation_is_fatal(void **state)
{
    (void)state;
    write_project();
    fixture_write("in/d.yaml",
                  "Noise: {x: {a: bel.ogg, all: [bell.ogg, horn.ogg], warned: x}}\n"
                  "Thing:\n"
                  "  t: {parts: [{type: Sprite, sprite: a, state: tow, layers: [{}, {sprite: b,\n"
                  "    state: two}]}]}\n");
    fixture_write("in/m.map.yaml",
                  "entities: [{base: t, components: [{type: Sprite, sprite: b}]}]\n");
    failing_bake(BAKE " m.map.yaml", 1);
    /* Paths so long that memory can run out at each step of joining them. */
    enum { NAME = 250, FOLDERS = 12, FILES = 12 };
    char path[16 + FOLDERS * (NAME + 1)] = "in/sounds", *at = path + strlen(path);
    FILE *document = fopen("in/d.yaml", "wb");
    assert_non_null(document);
    for (int i = 0; i < FOLDERS; i++, at += NAME + 1) {
        snprintf(at, (size_t)(path + sizeof path - at), "/%0*d", NAME, i);
        assert_int_equal(mkdir(path, 0777), 0);
    }
    fprintf(document, "Noise: {x: {all: [");
    for (int i = 0; i < FILES; i++) {
        snprintf(at, 6, "/%d", i);
        fixture_write(path, "");
        fprintf(document, "%s,", path + strlen("in/sounds/"));
    }
    fprintf(document, "]}}\n");
    assert_int_equal(fclose(document), 0);
    failing_bake(BAKE, 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, fixture_enter, fixture_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(paths_are_looked_up_wherever_they_are_written),
        IN_FOLDER(options_set_the_severity_of_missing_paths),
        IN_FOLDER(hints_are_close_names_in_the_deepest_existing_folder),
        IN_FOLDER(states_belong_to_the_nearest_atlas),
        IN_FOLDER(states_of_patches_and_rows_are_checked),
        IN_FOLDER(each_position_counts_once),
        IN_FOLDER(only_the_files_of_atlases_are_inputs),
        IN_FOLDER(roots_are_relative_to_the_folder_of_the_inputs),
        IN_FOLDER(only_regular_files_are_read),
        IN_FOLDER(large_inputs_take_linear_time),
        IN_FOLDER(invalid_atlas_files_are_reported),
        IN_FOLDER(no_failing_allocation_is_fatal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
