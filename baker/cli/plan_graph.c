#include "plan_graph.h"

#include <string.h>

typedef struct graph_writer {
    bool (*write)(void *ctx, const void *data, size_t size);
    void *ctx;
    bake_graph_format format;
    bool failed;
} graph_writer;

static void put_bytes(graph_writer *w, const char *text, size_t size)
{
    w->failed = w->failed || (size > 0 && !w->write(w->ctx, text, size));
}

static void put(graph_writer *w, const char *text)
{
    put_bytes(w, text, strlen(text));
}

/* ---- paths ---- */

bool bake_graph_can_write(const char *path, bake_graph_format format)
{
    /* make gives these a meaning that no escape removes in all places. */
    static const char refused_by_make[] = "%=;|&()<>`'\"\\*?[]";
    for (const char *at = path; *at; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte < ' ' || byte == 0x7f || (format == BAKE_GRAPH_NINJA && byte == '|') ||
            (format == BAKE_GRAPH_MAKE && strchr(refused_by_make, byte)))
            return false;
    }
    return *path && (format == BAKE_GRAPH_NINJA || *path != '~');
}

/* Removes the last component. Returns false if there is none but `..`. */
static bool leave(char *path, size_t *size)
{
    size_t begin = *size;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    if (begin == *size || strncmp(path + begin, "..", *size - begin) == 0)
        return false;
    *size = begin > 1 ? begin - 1 : begin;
    return true;
}

const char *bake_graph_path(const char *path, bake_graph_format format, bake_store *store)
{
    char *made = bake_store_text(store, path, strlen(path));
    size_t size = *path == '/', length;
    if (!made || format == BAKE_GRAPH_MAKE)
        return made;
    for (const char *at = path; *at; at += length) {
        at += strspn(at, "/");
        length = strcspn(at, "/");
        bool is_up = length == 2 && memcmp(at, "..", 2) == 0;
        if (length == 0 || (length == 1 && *at == '.') || (is_up && leave(made, &size)))
            continue;
        if (size && made[size - 1] != '/')
            made[size++] = '/';
        memmove(made + size, at, length);
        size += length;
    }
    if (size == 0)
        made[size++] = '.';
    made[size] = '\0';
    return made;
}

/* Writes a path as a target or prerequisite. */
static void put_path(graph_writer *w, const char *path)
{
    bool is_ninja = w->format == BAKE_GRAPH_NINJA;
    for (; *path; path++) {
        if (*path == '$')
            put(w, "$");
        else if (is_ninja && (*path == ' ' || *path == ':'))
            put(w, "$");
        else if (!is_ninja && strchr(" #:", *path))
            put(w, "\\");
        put_bytes(w, path, 1);
    }
}

/* Makeflow does not join lines. */
static void put_paths(graph_writer *w, const bake_list *paths)
{
    for (size_t i = 0; i < paths->count; i++) {
        put(w, w->format == BAKE_GRAPH_NINJA ? " $\n    " : " ");
        put_path(w, paths->items[i]);
    }
}

/* ---- commands ---- */

static bool is_plain(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=@%/.,:";
    return *text && text[strspn(text, plain)] == '\0';
}

/* Writes a word of a shell command, in which ninja and make expand `$`. */
static void put_word(graph_writer *w, const char *before, const char *text)
{
    bool quotes = !is_plain(text);
    put(w, quotes ? "'" : "");
    put(w, before);
    for (; *text; text++) {
        if (*text == '\'')
            put(w, "'\\'");
        else if (*text == '$')
            put(w, "$");
        put_bytes(w, text, 1);
    }
    put(w, quotes ? "'" : "");
}

/* Writes a command that makes the folder of the output, which may not exist on another machine. */
static void put_folder(graph_writer *w, const char *output)
{
    const char *slash = strrchr(output, '/');
    char folder[4096];
    size_t length = slash ? (size_t)(slash - output) : 0;
    if (length == 0 || length >= sizeof folder)
        return;
    memcpy(folder, output, length);
    folder[length] = '\0';
    put(w, "mkdir -p ");
    put_word(w, "", folder);
    put(w, " && ");
}

static void put_command(graph_writer *w, const bake_graph_command *command)
{
    put_folder(w, command->output);
    put(w, w->format == BAKE_GRAPH_NINJA ? "$kiln_bake " : "$(KILN_BAKE) ");
    put_word(w, "@", command->words);
}

/* A source that was deleted makes the plan out of date, and any other file the commands that read
 * it, instead of being an error: it may be in another folder now. */
static void put_phony(graph_writer *w, const bake_list *paths, const char *before,
                      const char *after)
{
    for (size_t i = 0; i < paths->count; i++) {
        put(w, before);
        put_path(w, paths->items[i]);
        put(w, after);
    }
}

/* ---- ninja ---- */

static void put_ninja(graph_writer *w, const bake_graph_command *command, const char *rule)
{
    put(w, "\nbuild ");
    put_path(w, command->output);
    put(w, ": ");
    put(w, rule);
    put(w, " |");
    put_paths(w, &command->inputs);
    put(w, "\n  command = ");
    put_command(w, command);
    put(w, "\n");
}

static void put_ninja_graph(graph_writer *w, const bake_graph *graph)
{
    put(w, "# Written by kiln-bake plan.\nninja_required_version = 1.5\n");
    /* Ninja would write its log next to the graph. If the plan depends on that folder, ninja would
     * plan again and again. */
    put(w, "builddir = ");
    put_path(w, graph->folder);
    put(w, "\nkiln_bake = ");
    put_word(w, "", graph->program);
    put(w, "\n\nrule kiln\n  command = $command\n  description = kiln-bake $out\n"
           "\nrule plan\n  command = $command\n  description = kiln-bake plan $out\n"
           "  generator = 1\n");
    for (size_t i = 0; i < graph->count; i++)
        put_ninja(w, &graph->commands[i], "kiln");
    put_ninja(w, &graph->self, "plan");
    put_phony(w, &graph->files, "build ", ": phony\n");
    put(w, "\ndefault");
    put_paths(w, &graph->results);
    put(w, "\n");
}

/* ---- make ---- */

static void put_make(graph_writer *w, const bake_graph_command *command)
{
    put(w, "\n");
    put_path(w, command->output);
    put(w, ":");
    put_paths(w, &command->inputs);
    put(w, "\n\t");
    put_command(w, command);
    put(w, "\n");
}

static const bake_graph_command *result_of(const bake_graph *graph)
{
    for (size_t i = 0; i < graph->count; i++)
        if (graph->results.count == 1 &&
            strcmp(graph->commands[i].output, graph->results.items[0]) == 0)
            return &graph->commands[i];
    return NULL;
}

/* The first rule is the goal of make. Makeflow has no phony targets. */
static void put_make_graph(graph_writer *w, const bake_graph *graph)
{
    const bake_graph_command *result = result_of(graph);
    put(w, "# Written by kiln-bake plan.\nKILN_BAKE=");
    put_word(w, "", graph->program);
    put(w, "\n");
    if (result) {
        put_make(w, result);
    } else {
        put(w, "\n");
        put_path(w, graph->all);
        put(w, ":");
        put_paths(w, &graph->results);
        put(w, "\n\t");
        put_folder(w, graph->all);
        put(w, "touch ");
        put_word(w, "", graph->all);
        put(w, "\n");
    }
    for (size_t i = 0; i < graph->count; i++)
        if (&graph->commands[i] != result)
            put_make(w, &graph->commands[i]);
}

bool bake_graph_write(const bake_graph *graph, bake_graph_format format,
                      bool (*write)(void *ctx, const void *data, size_t size), void *ctx)
{
    graph_writer w = {write, ctx, format, false};
    if (format == BAKE_GRAPH_NINJA)
        put_ninja_graph(&w, graph);
    else
        put_make_graph(&w, graph);
    return !w.failed;
}

bool bake_graph_write_self(const bake_graph *graph,
                           bool (*write)(void *ctx, const void *data, size_t size), void *ctx)
{
    graph_writer w = {write, ctx, BAKE_GRAPH_MAKE, false};
    put(&w,
        "# Written by kiln-bake plan. Plans again if necessary, and then runs the plan.\ninclude ");
    put_path(&w, graph->path);
    put(&w, "\n");
    put_make(&w, &graph->self);
    put_phony(&w, &graph->files, "", ":\n");
    return !w.failed;
}
