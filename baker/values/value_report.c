/* Reports about values, and formatting of value paths.
 *
 * A path is a chain of steps on the C stack, which is only formatted here. Errors beyond the
 * maximum are only counted and not formatted, so even a million are cheap. */
#include "value_report.h"

#include "path_quote.h"
#include "utf8.h"

#include <kiln/index.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct path_text {
    char *out;
    size_t length;
} path_text;

/* Only the last steps of a long path are shown. PATH_TAIL is the room for "..." and the NUL. */
enum { STEPS_SHOWN = 64, PATH_TAIL = 8 };

/* Appends as much as fits. If the buffer is full, bake_value_path_text ends the path with "...". */
static void put(path_text *path, const char *text, size_t length)
{
    size_t room = VALUE_PATH_SIZE - PATH_TAIL - path->length;
    if (length > room)
        length = room;
    memcpy(path->out + path->length, text, length);
    path->length += length;
    path->out[path->length] = '\0';
}

static void put_quoted(path_text *path, const char *text, size_t length)
{
    put(path, "[\"", 2);
    for (size_t i = 0; i < length; i++) {
        char escaped[PATH_ESCAPE_SIZE];
        put(path, escaped, path_escape(text[i], escaped));
    }
    put(path, "\"]", 2);
}

static void put_step(path_text *path, const value_step *step)
{
    char number[32];
    if (step->kind == STEP_NUMBER) {
        int length = snprintf(number, sizeof number, "[%llu]", (unsigned long long)step->number);
        put(path, number, (size_t)length);
    } else if (step->kind == STEP_NAME && path_is_name(step->text, step->length)) {
        put(path, ".", path->length > 0);
        put(path, step->text, step->length);
    } else {
        put_quoted(path, step->text, step->length);
    }
}

void bake_value_path_text(const bake_values *b, const value_step *step, char out[VALUE_PATH_SIZE])
{
    path_text path = {out, 0};
    const value_step *steps[STEPS_SHOWN];
    size_t count = 0, total = 0;
    out[0] = '\0';
    if (b->root.name)
        put(&path, b->root.name, strlen(b->root.name));
    for (const value_step *s = step; s; s = s->up)
        total++;
    /* The last steps matter most. */
    for (const value_step *s = step; s && count < STEPS_SHOWN; s = s->up)
        steps[count++] = s;
    if (total > count)
        put(&path, "...", 3);
    while (count > 0)
        put_step(&path, steps[--count]);
    if (path.length == VALUE_PATH_SIZE - PATH_TAIL)
        memcpy(out + path.length, "...", 4);
}

/* Returns whether a warning is new; warnings in assets always are. All entities of a prefab repeat
 * the warnings of the prefab at the same position. The message is part of the key, since one scalar
 * with flags can have several warnings. */
static bool claim_warning(bake_values *b, bake_mark mark, const char *message)
{
    bool is_new = true;
    if (b->merge.asset || b->root.type != KILN_TYPE_NONE || b->report.to == b->report.silence)
        return true;
    uint32_t hash = (uint32_t)(kiln_content_hash(message, strlen(message)).low >> 33);
    if (!bake_location_set_add(&b->report.warned, hash, mark, &is_new))
        value_no_memory(b);
    return is_new;
}

static bool report(bake_values *b, bake_severity severity, bake_mark mark, const char *rule,
                   const value_step *step, const char *message)
{
    char path[VALUE_PATH_SIZE];
    bake_value_path_text(b, step, path);
    bake_report(b->report.to, severity, mark, rule, path, "%s", message);
    if (b->report.is_repeat)
        bake_report_possible_duplicate(b->report.to);
    return false;
}

static bool warn(bake_values *b, bake_mark mark, const char *rule, const value_step *step,
                 const char *message)
{
    if (!claim_warning(b, mark, message)) {
        b->report.dropped_warnings++;
        return false;
    }
    b->report.warnings++;
    return !bake_report_exceeds_limit(b->report.to, BAKE_WARNING, mark) &&
           report(b, BAKE_WARNING, mark, rule, step, message);
}

bool bake_value_report(bake_values *b, bake_severity severity, bake_mark mark, const char *rule,
                       const value_step *step, const char *format, ...)
{
    char message[640];
    va_list arguments;
    if (severity == BAKE_WARNING && b->report.no_warnings) {
        b->report.dropped_warnings++;
        return false;
    }
    bool was_plain = b->is_plain;
    b->is_noisy = true;
    if (value_defer(b))
        return false;
    b->is_plain = was_plain;
    if (severity == BAKE_ERROR) {
        b->report.errors++;
        if (bake_report_exceeds_limit(b->report.to, severity, mark))
            return false;
    }
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return severity == BAKE_WARNING ? warn(b, mark, rule, step, message)
                                    : report(b, severity, mark, rule, step, message);
}

const char *bake_value_cut(char out[VALUE_QUOTE_SIZE], const char *text, size_t length)
{
    size_t kept = utf8_cut(text, length, VALUE_QUOTE_SIZE - 8);
    snprintf(out, VALUE_QUOTE_SIZE, "%.*s%s", (int)kept, text, kept < length ? "..." : "");
    return out;
}

const char *bake_value_quote(char out[VALUE_QUOTE_SIZE], const char *text, size_t length)
{
    char cut[VALUE_QUOTE_SIZE];
    bake_value_cut(cut, text, length);
    snprintf(out, VALUE_QUOTE_SIZE, "\"%.76s\"", cut);
    return out;
}

void bake_value_warn_member(bake_values *b, bake_node_id node, const kiln_member *member, bool was,
                            const value_step *step)
{
    char quote[VALUE_QUOTE_SIZE];
    size_t length;
    const char *text = bake_node_text(b->tree, node, &length);
    if (was)
        bake_value_report(b, BAKE_WARNING, value_mark(b, node), "renamed", step,
                          "%s was renamed to \"%s\"", bake_value_quote(quote, text, length),
                          member->name);
    if (member->flags & KILN_MEMBER_DEPRECATED)
        bake_value_report(b, BAKE_WARNING, value_mark(b, node), "deprecated", step,
                          "\"%s\" is deprecated", member->name);
}
