/* Runs the cases of the YAML test suite through the YAML layer. Each either has the expected result
 * or is listed with its actual result in known_differences.txt. The list must be exact.
 *
 * Arguments: the suite's folder of cases, the list. */
#define _GNU_SOURCE

#include "diagnostics.h"
#include "tree.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_SIZE = 4096, CASES_MAX = 600, LINES_MAX = 4000, CASES_EXPECTED = 402 };

/* A line of the list: case, outcome, origin of the rule, reason. */
typedef struct difference {
    char name[16], outcome[16], whose[16], reason[64];
    bool seen;
} difference;

static difference differences[CASES_MAX];
static size_t difference_count, case_count, agreeing, failures;

static char *read_file(const char *path, size_t *ret_size)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0;
    if (file) {
        FILE *out = open_memstream(&text, &size);
        for (int c; out && (c = fgetc(file)) != EOF;)
            fputc(c, out);
        if (out)
            fclose(out);
        fclose(file);
    }
    *ret_size = size;
    return text;
}

/* The text with the suite's escapes. */
static void show_text(FILE *out, const char *text, size_t length)
{
    static const char bytes[] = "\\\n\t\b\r", letters[] = "\\ntbr";
    for (size_t i = 0; i < length; i++) {
        const char *special = text[i] ? strchr(bytes, text[i]) : NULL;
        if (special)
            fprintf(out, "\\%c", letters[special - bytes]);
        else
            fputc(text[i], out);
    }
}

/* A node as events in the suite's notation: its tag, whether it is plain, and its text or parts. */
static void show_node(const bake_tree *tree, bake_node_id node, FILE *out)
{
    if (node == BAKE_NODE_NONE) {
        fputs("=VAL :\n", out);
        return;
    }
    const char *tag = bake_node_tag(tree, node);
    bake_node_kind kind = bake_node_kind_of(tree, node);
    fputs(kind == BAKE_NODE_SCALAR ? "=VAL" : kind == BAKE_NODE_MAPPING ? "+MAP" : "+SEQ", out);
    if (tag)
        fprintf(out, " <%s>", tag);
    if (kind == BAKE_NODE_SCALAR) {
        size_t length;
        const char *text = bake_node_text(tree, node, &length);
        fputs(bake_node_is_plain(tree, node) ? " :" : " \"", out);
        show_text(out, text, length);
        fputc('\n', out);
        return;
    }
    fputc('\n', out);
    for (bake_iterator it = bake_iterator_begin(tree, node); bake_iterator_next(&it);) {
        if (kind == BAKE_NODE_MAPPING)
            show_node(tree, it.key, out);
        show_node(tree, it.value, out);
    }
    fputs(kind == BAKE_NODE_MAPPING ? "-MAP\n" : "-SEQ\n", out);
}

static char *show_tree(const bake_tree *tree)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (uint32_t i = 0; i < bake_tree_document_count(tree); i++) {
        fputs("+DOC\n", out);
        show_node(tree, bake_tree_document(tree, i), out);
        fputs("-DOC\n", out);
    }
    fclose(out);
    return text;
}

/* The suite's events, reduced to what a tree contains. */
typedef struct expected {
    char *lines[LINES_MAX];
    char *anchors[LINES_MAX]; /* of the node that begins at the line; NULL if none */
    size_t count;
} expected;

static void add_line(expected *e, const char *text, const char *anchor, size_t anchor_length)
{
    if (e->count == LINES_MAX)
        abort();
    e->lines[e->count] = strdup(text);
    e->anchors[e->count++] = anchor ? strndup(anchor, anchor_length) : NULL;
}

/* Repeats the last node with the anchor. */
static void add_alias(expected *e, const char *name)
{
    size_t from = e->count;
    while (from > 0 && (!e->anchors[from - 1] || strcmp(e->anchors[from - 1], name) != 0))
        from--;
    int depth = 0;
    for (size_t i = from ? from - 1 : e->count; i < e->count; i++) {
        add_line(e, e->lines[i], NULL, 0);
        depth += (e->lines[i][0] == '+') - (e->lines[i][0] == '-');
        if (depth == 0)
            break;
    }
}

static void add_event(expected *e, char *line)
{
    char shown[8192], *at = line + 4, *anchor = NULL;
    size_t anchor_length = 0;
    if (strncmp(line, "=ALI *", 6) == 0) {
        add_alias(e, line + 6);
        return;
    }
    if (strcmp(line + 1, "STR") == 0)
        return;
    snprintf(shown, sizeof shown, "%.4s", line);
    while (*at == ' ') {
        at++;
        size_t length = strcspn(at, " ");
        size_t used = strlen(shown);
        if (*line == '=' && *at != '&' && *at != '<') {
            snprintf(shown + used, sizeof shown - used, " %c%s", *at == ':' ? ':' : '"', at + 1);
            break;
        }
        if (*at == '&') {
            anchor = at + 1;
            anchor_length = length - 1;
        } else if (*at == '<') {
            snprintf(shown + used, sizeof shown - used, " %.*s", (int)length, at);
        }
        at += length;
    }
    add_line(e, shown, anchor, anchor_length);
}

static char *show_expected(char *events)
{
    static expected e;
    char *text = NULL;
    size_t size;
    e.count = 0;
    for (char *line = strtok(events, "\n"); line; line = strtok(NULL, "\n"))
        add_event(&e, line);
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < e.count; i++) {
        fprintf(out, "%s\n", e.lines[i]);
        free(e.lines[i]);
        free(e.anchors[i]);
    }
    fclose(out);
    return text;
}

/* The rule of the first error, in brackets at the end of its line. */
static void first_rule(const bake_diagnostics *diagnostics, char rule[64])
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bake_diagnostics_print((bake_diagnostics *)(uintptr_t)diagnostics, out, false);
    fclose(out);
    char *end = strstr(text, "]\n");
    char *begin = end;
    while (begin && begin > text && begin[-1] != '[')
        begin--;
    snprintf(rule, 64, "%.*s", begin ? (int)(end - begin) : 0, begin ? begin : "");
    free(text);
}

/* The outcome of a case: `agrees`, `accepted` or `refused` contrary to the suite, or `differs`. */
static const char *outcome_of(const char *folder, char rule[64])
{
    char path[PATH_SIZE + 16];
    size_t size, events_size;
    struct stat info;
    snprintf(path, sizeof path, "%s/in.yaml", folder);
    char *text = read_file(path, &size);
    snprintf(path, sizeof path, "%s/test.event", folder);
    char *events = read_file(path, &events_size);
    snprintf(path, sizeof path, "%s/error", folder);
    bool is_error = stat(path, &info) == 0;
    bake_diagnostics *diagnostics = bake_diagnostics_create();
    if (!text || !events || !diagnostics)
        abort();
    uint32_t source = bake_diagnostics_add_source(diagnostics, "in.yaml", text, size);
    bake_tree *tree = bake_tree_read(diagnostics, source, text, size);
    bool read = bake_diagnostics_errors(diagnostics) == 0;
    const char *outcome = "agrees";
    rule[0] = '\0';
    if (!read)
        first_rule(diagnostics, rule);
    if (read == is_error) {
        outcome = read ? "accepted" : "refused";
    } else if (read) {
        char *shown = show_tree(tree), *wanted = show_expected(events);
        if (strcmp(shown, wanted) != 0)
            outcome = "differs";
        free(shown);
        free(wanted);
    }
    bake_tree_destroy(tree);
    bake_diagnostics_destroy(diagnostics);
    free(text);
    free(events);
    return outcome;
}

static difference *listed(const char *name)
{
    for (size_t i = 0; i < difference_count; i++)
        if (strcmp(differences[i].name, name) == 0)
            return &differences[i];
    return NULL;
}

/* libyaml's errors have the rules [yaml] and [encoding]. All other rules, and the reading of
 * directives that also apply to later documents, are Kiln's own. */
static bool fits(const difference *d, const char *outcome, const char *rule)
{
    if (strcmp(outcome, "accepted") == 0 && strcmp(d->reason, "shared-directive") == 0)
        return strcmp(d->outcome, outcome) == 0 && strcmp(d->whose, "kiln") == 0;
    bool own = strcmp(outcome, "refused") == 0 && strcmp(rule, "yaml") != 0 &&
               strcmp(rule, "encoding") != 0;
    return strcmp(d->outcome, outcome) == 0 && strcmp(d->whose, own ? "kiln" : "libyaml") == 0 &&
           (!own || strcmp(d->reason, rule) == 0);
}

static void check_case(const char *name, const char *folder)
{
    char rule[64];
    const char *outcome = outcome_of(folder, rule);
    difference *d = listed(name);
    case_count++;
    agreeing += strcmp(outcome, "agrees") == 0;
    if (d)
        d->seen = true;
    if (d ? fits(d, outcome, rule) : strcmp(outcome, "agrees") == 0)
        return;
    printf("%s %s %s: %s\n", name, outcome, rule,
           d ? "the list has a different outcome" : "not in the list");
    failures++;
}

static int is_not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* A folder is a case, or contains cases in numbered folders. */
static void check_folder(const char *name, const char *folder)
{
    char path[PATH_SIZE], full_name[300];
    struct stat info;
    struct dirent **entries;
    snprintf(path, sizeof path, "%s/in.yaml", folder);
    if (stat(path, &info) == 0) {
        check_case(name, folder);
        return;
    }
    int count = scandir(folder, &entries, is_not_hidden, alphasort);
    for (int i = 0; i < count; i++) {
        const char *part = entries[i]->d_name;
        snprintf(path, sizeof path, "%s/%s", folder, part);
        snprintf(full_name, sizeof full_name, "%s%s%s", name, *name ? "/" : "", part);
        if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
            check_folder(full_name, path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

static bool read_list(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[300];
    while (file && fgets(line, sizeof line, file)) {
        difference *d = &differences[difference_count];
        if (line[0] == '#' || line[0] == '\n')
            continue;
        if (difference_count == CASES_MAX ||
            sscanf(line, "%15s %15s %15s %63s", d->name, d->outcome, d->whose, d->reason) != 4) {
            printf("%s: not four words: %s", path, line);
            failures++;
            continue;
        }
        difference_count++;
    }
    if (file)
        fclose(file);
    return file != NULL;
}

int main(int argc, char **argv)
{
    struct stat info;
    if (argc != 3 || !read_list(argv[2]))
        return 2;
    if (stat(argv[1], &info) != 0) {
        printf("skipped: %s does not exist\n", argv[1]);
        return 77;
    }
    check_folder("", argv[1]);
    for (size_t i = 0; i < difference_count; i++) {
        if (differences[i].seen)
            continue;
        printf("%s is in the list, but not a case\n", differences[i].name);
        failures++;
    }
    printf("%zu of %zu cases agree with the suite, %zu are listed\n", agreeing, case_count,
           difference_count);
    if (case_count < CASES_EXPECTED)
        printf("expected %d cases\n", CASES_EXPECTED);
    return failures > 0 || case_count < CASES_EXPECTED;
}
