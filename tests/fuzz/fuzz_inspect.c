/* Bytes from anywhere, shown by the inspector: the first byte chooses the command, the rest are the
 * file. Demanded are the exit codes for what is whole and what is broken, and no others. */
#define _POSIX_C_SOURCE 200809L
#include "fuzz_target.h"

#include "insp_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORDS_MAX = 8 };

/* `%` stands for the file. */
static const char *const commands[][WORDS_MAX] = {
    {"scene", "%"},
    {"scene", "--chunks", "%"},
    {"scene", "-f", "json", "--chunks", "--all", "%"},
    {"scene", "%", "Scene/harbour", "door", "4", "#0"},
    {"scene", "-f", "json", "%", "Scene/harbour", "door", "#4", "12"},
    {"forecast", "%"},
    {"verify", "%"},
    {"info", "%"},
    {"ls", "%"},
    {"dump", "%"},
    {"dump", "--format", "yaml", "%"},
    {"dump", "-f", "json", "%"},
    {"hex", "%"},
    {"type", "%"},
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static char path[] = "/tmp/fuzz-inspect-XXXXXX";
static FILE *file, *nowhere;

static void remove_file(void)
{
    unlink(path);
}

static void open_files(void)
{
    int made = mkstemp(path);
    file = made < 0 ? NULL : fdopen(made, "wb");
    nowhere = fopen("/dev/null", "wb");
    if (!file || !nowhere || atexit(remove_file) != 0)
        abort();
}

static void write_file(const uint8_t *data, size_t size)
{
    rewind(file);
    if (ftruncate(fileno(file), 0) != 0 || (size && fwrite(data, 1, size, file) != size) ||
        fflush(file) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[] = "kiln-inspect", *words[WORDS_MAX + 1] = {name};
    int count = 1, i, code;
    if (size < 1)
        return 0;
    if (!file)
        open_files();
    write_file(data + 1, size - 1);
    for (i = 0; i < WORDS_MAX && commands[data[0] % COMMANDS][i]; i++) {
        const char *word = commands[data[0] % COMMANDS][i];
        words[count++] = word[0] == '%' ? path : (char *)(uintptr_t)word;
    }
    code = insp_main(count, words, nowhere, nowhere);
    if (code != INSP_OK && code != INSP_BAD)
        abort();
    return 0;
}
