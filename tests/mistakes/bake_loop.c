/* Bakes one request after another, so that a case does not need a new process.
 *
 * A request is a line of arguments, each followed by the byte 0x1f; the first is the output. The
 * answer is a line `CODE SIZE`, followed by SIZE bytes of diagnostics. CODE is the exit code of the
 * bake. If a reader refuses the output of a successful bake, CODE is 99, and the bytes end with the
 * reason. */
#define _POSIX_C_SOURCE 200809L

#include "bake_main.h"
#include "whole_file.h"

#include <kiln/type_table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 64, LINE_SIZE = 65536, SEPARATOR = 0x1f, ALIGN = 4096, UNREADABLE = 99 };

static char *read_all(FILE *file, size_t *ret_size)
{
    if (fseek(file, 0, SEEK_END))
        return NULL;
    long size = ftell(file);
    rewind(file);
    char *data = size < 0 ? NULL : aligned_alloc(ALIGN, ((size_t)size / ALIGN + 1) * ALIGN);
    *ret_size = (size_t)size;
    if (data && fread(data, 1, *ret_size, file) == *ret_size)
        return data;
    free(data);
    return NULL;
}

/* Returns NULL, or what is wrong with the output. */
static const char *check_output(const kiln_types *builtin, const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t size = 0;
    if (!file)
        return "exit code 0 without an output";
    char *data = read_all(file, &size);
    fclose(file);
    if (!data)
        return "cannot read the output";
    kiln_error error = {KILN_OK, 0, 0, ""};
    whole_file_check(builtin, data, size, &error);
    free(data);
    return error.status ? kiln_status_text(error.status) : NULL;
}

static int bake(const kiln_types *builtin, char *line, FILE *nowhere, FILE *err)
{
    static char name[] = "kiln-bake";
    char *words[WORDS_MAX + 1] = {name};
    const char *output = NULL;
    int count = 1;
    for (char *end; count < WORDS_MAX && (end = strchr(line, SEPARATOR)) != NULL; line = end + 1) {
        *end = '\0';
        if (output)
            words[count++] = line;
        else
            output = line;
    }
    int code = bake_main(count, words, nowhere, err);
    if (code != 0 || !output || !*output)
        return code;
    const char *wrong = check_output(builtin, output);
    if (wrong)
        fprintf(err, "%s\n", wrong);
    return wrong ? UNREADABLE : 0;
}

int main(void)
{
    static char line[LINE_SIZE];
    kiln_types *builtin = NULL;
    FILE *nowhere = fopen("/dev/null", "w");
    if (!nowhere || kiln_types_create_builtin(NULL, &builtin, NULL))
        return 2;
    while (fgets(line, sizeof line, stdin)) {
        char *said = NULL;
        size_t size = 0;
        FILE *err = open_memstream(&said, &size);
        if (!err)
            return 2;
        int code = bake(builtin, line, nowhere, err);
        fclose(err);
        printf("%d %zu\n", code, size);
        fwrite(said, 1, size, stdout);
        fflush(stdout);
        free(said);
    }
    kiln_types_destroy(builtin);
    fclose(nowhere);
    return 0;
}
