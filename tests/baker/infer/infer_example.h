/* Small inputs, the strings that their inferred schema must contain, and those that it must not
 * contain. The inputs must also bake with that schema. */
#ifndef INFER_EXAMPLE_H
#define INFER_EXAMPLE_H

#include "bake_call.h"

#include <sys/stat.h>

enum { FILES_MAX = 6, SAID_MAX = 8 };

typedef struct example {
    const char *name;
    struct {
        const char *path, *text;
    } files[FILES_MAX];
    const char *says[SAID_MAX]; /* strings that the schema must contain or, with the prefix `NOT `,
                                   must not contain */
} example;

static void write_files(const example *e)
{
    char folder[64];
    assert_int_equal(mkdir("data", 0777), 0);
    for (size_t i = 0; i < FILES_MAX && e->files[i].path; i++) {
        for (const char *at = strchr(e->files[i].path, '/'); at; at = strchr(at + 1, '/')) {
            snprintf(folder, sizeof folder, "%.*s", (int)(at - e->files[i].path), e->files[i].path);
            mkdir(folder, 0777);
        }
        fixture_write(e->files[i].path, e->files[i].text);
    }
}

static void call(const char *name, const char *arguments)
{
    char *out, *err;
    int code = bake_call(arguments, &out, &err);
    if (code != 0 || *err)
        fail_msg("%s: kiln-bake %s: %d\n%s", name, arguments, code, err);
    free(out);
    free(err);
}

/* Checks the schema of an example and returns the number of failures. */
static int check_example(const example *e)
{
    int wrong = 0;
    write_files(e);
    call(e->name, "schema infer -q -C data . -o s.yaml");
    char *schema = fixture_read("s.yaml", NULL), *out, *err;
    for (size_t s = 0; s < SAID_MAX && e->says[s]; s++) {
        bool lacks = strncmp(e->says[s], "NOT ", 4) == 0;
        if ((strstr(schema, e->says[s] + (lacks ? 4 : 0)) != NULL) == lacks)
            wrong++, print_error("%s: expectation \"%s\" is not met by\n%s", e->name, e->says[s],
                                 schema);
    }
    if (bake_call("check -q -Werror -s s.yaml -C data .", &out, &err) != 0 || *err)
        wrong++, print_error("%s: %s under\n%s", e->name, err, schema);
    free(out);
    free(err);
    free(schema);
    return wrong;
}

static int check_examples(void **state, const example *examples, size_t count)
{
    int wrong = 0;
    for (size_t i = 0; i < count; i++) {
        fixture_enter(state);
        wrong += check_example(&examples[i]);
        fixture_leave(state);
    }
    return wrong;
}

#endif
