/* ElfW. */
#define _GNU_SOURCE

#include "power_run.h"

#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define RECORD_NAME "calls"
#define SAID_NAME "said"
#define PLAIN_SAID_NAME "plain_said"

enum { ARGUMENTS_MAX = 32 };

bytes bytes_of_file(const char *path)
{
    bytes b = {NULL, 0};
    FILE *file = fopen(path, "rb");
    if (!file)
        return b;
    fseek(file, 0, SEEK_END);
    b.size = (size_t)ftell(file);
    rewind(file);
    /* One extra byte, so that records can be read as strings. */
    b.data = malloc(b.size + 1);
    assert_non_null(b.data);
    assert_int_equal(fread(b.data, 1, b.size, file), b.size);
    b.data[b.size] = '\0';
    fclose(file);
    return b;
}

void bytes_to_file(const char *path, bytes content)
{
    FILE *file = content.data ? fopen(path, "wb") : NULL;
    if (!content.data) {
        unlink(path);
        return;
    }
    assert_non_null(file);
    assert_int_equal(fwrite(content.data, 1, content.size, file), content.size);
    assert_int_equal(fclose(file), 0);
}

bool bytes_equal(bytes a, bytes b)
{
    if (!a.data || !b.data)
        return !a.data && !b.data;
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

void bytes_fini(bytes *b)
{
    free(b->data);
    memset(b, 0, sizeof *b);
}

static void split(char *program, char *text, char **words)
{
    int count = 0;
    words[count++] = program;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        assert_true(count < ARGUMENTS_MAX);
        words[count++] = word;
    }
    words[count] = NULL;
}

/* Uses the C locale, whose messages the tests expect. */
static void set_environment(const power_run_def *def, char text[5][4400], char **environment)
{
    char folder[4096];
    int count = 0;
    assert_non_null(getcwd(folder, sizeof folder));
    environment[count++] = strcpy(text[0], "LC_ALL=C");
    if (def->shim) {
        snprintf(text[1], sizeof text[1], "LD_PRELOAD=%s", def->shim);
        environment[count++] = text[1];
        snprintf(text[2], sizeof text[2], "KILN_CUT_RECORD=%s/" RECORD_NAME, folder);
        environment[count++] = text[2];
    }
    if (def->cut) {
        snprintf(text[3], sizeof text[3], "KILN_CUT=%s", def->cut);
        environment[count++] = text[3];
    }
    if (def->only_named)
        environment[count++] = strcpy(text[4], "KILN_CUT_NAMED=1");
    environment[count] = NULL;
}

power_run power_run_start(const power_run_def *def)
{
    char program[4096], arguments[1024], environment_text[5][4400];
    char *words[ARGUMENTS_MAX + 1], *environment[6];
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;
    snprintf(program, sizeof program, "%s", def->program);
    snprintf(arguments, sizeof arguments, "%s", def->arguments);
    split(program, arguments, words);
    set_environment(def, environment_text, environment);
    /* A program may be run while another is stopped. */
    const char *said = def->shim ? SAID_NAME : PLAIN_SAID_NAME;
    if (def->shim)
        unlink(RECORD_NAME);
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO,
                                     def->output ? def->output : "/dev/null",
                                     O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, said, O_WRONLY | O_CREAT | O_TRUNC,
                                     0666);
    assert_int_equal(posix_spawn(&child, program, &actions, NULL, words, environment), 0);
    posix_spawn_file_actions_destroy(&actions);
    assert_int_equal(waitpid(child, &status, WUNTRACED), child);
    while (WIFSTOPPED(status)) {
        if (def->when_stopped)
            def->when_stopped(def->ctx);
        assert_int_equal(kill(child, SIGCONT), 0);
        assert_int_equal(waitpid(child, &status, WUNTRACED), child);
    }
    power_run run = {WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                     WIFEXITED(status) ? WEXITSTATUS(status) : -1, bytes_of_file(said),
                     def->shim ? bytes_of_file(RECORD_NAME) : (bytes){NULL, 0}};
    return run;
}

void power_run_fini(power_run *run)
{
    bytes_fini(&run->said);
    bytes_fini(&run->record);
}

bool power_run_is_static(const char *program)
{
    bytes image = bytes_of_file(program);
    bool is_static = false;
    ElfW(Ehdr) header;
    if (image.size >= sizeof header && memcmp(image.data, ELFMAG, SELFMAG) == 0) {
        memcpy(&header, image.data, sizeof header);
        is_static = true;
        for (size_t i = 0; i < header.e_phnum; i++) {
            ElfW(Phdr) part;
            size_t at = (size_t)header.e_phoff + i * header.e_phentsize;
            if (at > image.size || image.size - at < sizeof part)
                break;
            memcpy(&part, image.data + at, sizeof part);
            if (part.p_type == PT_INTERP)
                is_static = false;
        }
    }
    bytes_fini(&image);
    return is_static;
}
