#define _POSIX_C_SOURCE 200809L

#include "fault_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

/* With one thread, the calls of a run are always the same. */
#define GAME "-j 1 -C %S/game/data -s %S/game/game.schema.yaml"
#define VILLAGE "-C %S/village/scenes -s %S/village/village.schema.yaml -x %B/game/game.kiln"
#define NEW(path)                                                                                  \
    {                                                                                              \
        path, false                                                                                \
    }
#define OVER(path)                                                                                 \
    {                                                                                              \
        path, true                                                                                 \
    }

#define BAKER(name_, arguments_, ...)                                                              \
    {                                                                                              \
        .name = name_, .kind = FAULT_OF_BAKER, .program = "kiln-bake", .arguments = arguments_,    \
        __VA_ARGS__                                                                                \
    }
#define BAKE(name, arguments, ...) BAKER(name, arguments, .outputs = {__VA_ARGS__})
#define SAYS(name, arguments, input_, code_) BAKER(name, arguments, .input = input_, .code = code_)
#define INSPECT(name_, arguments_, input_)                                                         \
    {                                                                                              \
        .name = name_, .kind = FAULT_OF_INSPECTOR, .program = "kiln-inspect",                      \
        .arguments = arguments_, .input = input_                                                   \
    }
#define SAMPLE(program_, arguments_, ...)                                                          \
    {                                                                                              \
        .name = program_, .kind = FAULT_OF_LIBRARY, .program = program_, .arguments = arguments_,  \
        __VA_ARGS__                                                                                \
    }

const fault_run fault_runs[] = {
    BAKE("bake the game", GAME " -o out/game.kiln -MD .", NEW("out/game.kiln"), NEW("out/game.d")),
    BAKE("bake the game over an older one",
         GAME " --durable --if-changed -o out/game.kiln -MD -MF out/d -MP .", OVER("out/game.kiln"),
         OVER("out/d")),
    BAKE("bake scenes with a source map",
         VILLAGE " --source-map out/village.map -o out/village.kiln .", NEW("out/village.kiln"),
         OVER("out/village.map")),
    BAKE("bake one file for each input", "--durable -s in/s.yaml --each out in/a.yaml in/b.yaml",
         OVER("out/a.kiln"), NEW("out/b.kiln")),
    BAKE("bake compressed", GAME " --compress 3 --dictionary all -o out/game.kiln .",
         NEW("out/game.kiln")),
    BAKER("bake with a spool", GAME " --memory 0 -o out/game.kiln .", .has_spool = true,
          .outputs = {NEW("out/game.kiln")}),
    BAKE("bake a patch", "-s in/s.yaml -x in/base.kiln --patch -o out/patch.kiln in/a.yaml",
         NEW("out/patch.kiln")),
    BAKER("bake with an importer", "-s in/importer.yaml -o out/x.kiln in/x.list", .varies = true,
          .outputs = {NEW("out/x.kiln")}),
    BAKE("bake with a response file", "@in/arguments", OVER("out/a.kiln")),
    BAKE("bake resources", "-s in/resource.yaml -o out/r.kiln in/r.yaml", NEW("out/r.kiln")),
    BAKE("a header", "header --durable -s %S/game/game.schema.yaml -o out/game.h -MD",
         OVER("out/game.h"), NEW("out/game.d")),
    BAKE("repack", "repack --order name --compress 3 %B/game/game.kiln -o out/game.kiln",
         NEW("out/game.kiln")),
    BAKE("repack in a given order", "repack --first in/first %B/village/village.kiln -o out/v.kiln",
         OVER("out/v.kiln")),
    BAKE("names of a bundle", "names -s in/s.yaml -o out/all.names -MD in/a.yaml in/b.yaml",
         NEW("out/all.names"), OVER("out/all.d")),
    BAKE("bake a part", "-s in/s.yaml --names in/all.names -o out/1.part in/a.yaml",
         OVER("out/1.part")),
    BAKE("link parts", "link -s in/s.yaml --names in/all.names -o out/ab.kiln in/1.part in/2.part",
         OVER("out/ab.kiln")),
    BAKER("infer", "schema infer -C %S/game/data creatures.yaml sounds -o out/s.yaml",
          .is_guessing = true, .outputs = {NEW("out/s.yaml")}),
    BAKER("infer paths", "schema infer -C in paths.yaml -o out/s.yaml", .is_guessing = true,
          .outputs = {OVER("out/s.yaml")}),
    BAKE("bake files in values", "-s in/page.yaml -o out/p.kiln in/p.yaml", OVER("out/p.kiln")),
    BAKE("a schema for editors", "schema jsonschema -s %S/game/game.schema.yaml -o out/s.json",
         NEW("out/s.json")),
    BAKER("broken input as data",
          "--diagnostics=sarif --diagnostics-file out/said.sarif -s in/s.yaml -o out/a.kiln "
          "in/wrong.yaml",
          .code = 1, .is_telling = true, .outputs = {OVER("out/said.sarif")}),
    SAYS("bake to standard output", "-q -s in/s.yaml -o - in/a.yaml", NULL, 0),
    SAYS("bake standard input", "-q -s in/s.yaml -o - -", "in/a.yaml", 0),
    SAYS("check", "check " GAME " .", NULL, 0),
    SAYS("broken input", "check -s in/s.yaml in/wrong.yaml", NULL, 1),
    SAYS("broken input as JSON", "check --diagnostics=json -s in/s.yaml in/wrong.yaml", NULL, 1),
    SAYS("infer to standard output", "schema infer in/a.yaml", NULL, 0),
    SAYS("compare schemas", "schema check in/s.yaml in/s2.yaml", NULL, 1),
    SAYS("compare a file", "schema check %S/game/game.schema.yaml %B/game/game.kiln", NULL, 0),
    SAYS("the baker's help", "--help", NULL, 0),
    SAYS("the baker's version", "--version", NULL, 0),
    INSPECT("info", "%B/game/game.kiln", NULL),
    INSPECT("ls", "ls %B/game/game.kiln Item/*", NULL),
    INSPECT("ls as JSON", "ls -f json %B/village/village.kiln", NULL),
    INSPECT("dump", "dump %B/game/game.kiln", NULL),
    INSPECT("dump as YAML", "dump -f yaml %B/village/village.kiln", NULL),
    INSPECT("dump as JSON", "dump -f json %B/game/game.kiln", NULL),
    INSPECT("dump a compressed file", "dump in/packed.kiln", NULL),
    INSPECT("get", "get %B/game/game.kiln Item/ember_red.price", NULL),
    INSPECT("scene", "scene --chunks %B/village/village.kiln Scene/emberwick", NULL),
    INSPECT("forecast", "forecast %B/village/village.kiln", NULL),
    INSPECT("verify", "verify %B/game/game.kiln %B/village/village.kiln", NULL),
    INSPECT("hex", "hex %B/game/game.kiln Item/ember_red", NULL),
    INSPECT("where", "where in/mapped.kiln Note/a.text", NULL),
    INSPECT("where as JSON", "where -f json in/mapped.kiln Note/a.text", NULL),
    INSPECT("type", "type %B/game/game.kiln", NULL),
    INSPECT("ref", "ref 0x0000000300000017", NULL),
    INSPECT("standard input", "ls -", "in/base.kiln"),
    INSPECT("the inspector's help", "--help", NULL),
    SAMPLE("first", "%B/first/spells.kiln", .code = 0),
    SAMPLE("make", "out/made.kiln", .outputs = {NEW("out/made.kiln")}),
    SAMPLE("game", "%B/game/game.kiln", .code = 0),
    SAMPLE("patch", "%B/game/game.kiln", .code = 0),
    SAMPLE("village", "%B/game/game.kiln %B/village/village.kiln", .code = 0),
    SAMPLE("fault_library", "%B/game/game.kiln %B/village/village.kiln in/packed.kiln",
           .is_tidy = true),
    SAMPLE("crowd", "20000", .varies = true),
    SAMPLE("fault_wait", "", .varies = true),
};

const size_t fault_run_count = sizeof fault_runs / sizeof *fault_runs;

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

void fault_runs_prepare(void)
{
    assert_int_equal(mkdir("in", 0777), 0);
    assert_int_equal(mkdir("out", 0777), 0);
    write_text("in/s.yaml", "kiln: 1\ntypes:\n  Note:\n"
                            "    struct: {text: string, numbers: \"u32[]\"}\n    asset: true\n");
    write_text("in/s2.yaml", "kiln: 1\ntypes:\n  Note:\n"
                             "    struct: {text: string, numbers: \"u8[]\"}\n    asset: true\n");
    write_text("in/a.yaml", "Note: {a: {text: first, numbers: [1]}}\n");
    write_text("in/b.yaml", "Note: {b: {text: second, numbers: [2]}}\n");
    write_text("in/wrong.yaml", "Note:\n  a: {text: first, numbers: [-1]}\n  b: {txt: second}\n");
    write_text("in/arguments", "-s in/s.yaml\n-o 'out/a.kiln' in/a.yaml\n");
    write_text("in/first", "Scene/emberwick\n");
    write_text(
        "in/importer.yaml",
        "kiln: 1\ntypes:\n  Note:\n"
        "    struct: {text: string, numbers: \"u32[]\"}\n    asset: true\n"
        "importers:\n  list: {command: [./list.sh], output: yaml}\n"
        "files:\n  - {match: \"*.list\", import: list, shape: list, type: Note, id: text}\n");
    write_text("in/resource.yaml",
               "kiln: 1\ntypes:\n"
               "  Sound: {wrap: string, path: {roots: [in, out], absolute: in}}\n"
               "  Lamp: {struct: {hums: Sound, hisses: Sound}, asset: true}\n");
    write_text("in/r.yaml", "Lamp: {a: {hums: hum.ogg, hisses: /hum.ogg}}\n");
    write_text("in/hum.ogg", "hum");
    write_text("in/page.yaml", "kiln: 1\ntypes:\n  Page: {struct: {text: string}, asset: true}\n");
    write_text("in/p.yaml", "Page: {a: {text: !file hum.ogg}}\n");
    write_text("in/paths.yaml", "Lamp: {a: {hums: snd/a.ogg}, b: {hums: snd/b.ogg}}\n");
    assert_int_equal(mkdir("in/snd", 0777), 0);
    write_text("in/snd/a.ogg", "a");
    write_text("in/snd/b.ogg", "b");
    write_text("in/x.list", "first second\n");
    write_text("in/list.sh", "#!/bin/sh\nread -r text rest <\"$1\"\n"
                             "echo \"- {text: $text, numbers: [1, 2]}\"\n");
    assert_int_equal(chmod("in/list.sh", 0777), 0);
}
