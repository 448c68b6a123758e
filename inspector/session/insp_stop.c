/* A message is `no value at PATH: PART is ..., ...`. Names in it come from the file and from the
 * arguments; insp_complain escapes and truncates them. */
#include "insp_stop.h"

#include "insp_message.h"
#include "insp_similar.h"
#include "insp_walk.h"

#include <inttypes.h>
#include <kiln/path.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 512, SHOWN_MAX = 200, KEYS_MAX = 10000 };

/* The step at which the path stopped. */
typedef struct next_step {
    bool is_bracket, is_quoted, is_arrow;
    const char *word; /* without `.`, brackets and quotes */
    int length;
} next_step;

static next_step read_step(const insp_stop *stop)
{
    const char *at = stop->path + stop->length;
    next_step step = {.is_bracket = *at == '[', .is_arrow = at[0] == '-' && at[1] == '>'};
    at += *at == '.' || *at == '[' ? 1 : step.is_arrow ? 2 : 0;
    step.is_quoted = *at == '"';
    at += step.is_quoted;
    step.word = at;
    step.length = (int)strcspn(at, step.is_quoted ? "\"" : step.is_bracket ? "]" : ".[-");
    if (step.length > SHOWN_MAX)
        step.length = SHOWN_MAX;
    return step;
}

static void put_similar(char *text, const insp_similar *similar, const char *before,
                        const char *after)
{
    size_t length = strlen(text);
    int shown = similar->best_length < SHOWN_MAX ? (int)similar->best_length : SHOWN_MAX;
    if (similar->best)
        snprintf(text + length, TEXT_SIZE - length, "; did you mean %s%.*s%s?", before, shown,
                 similar->best, after);
}

static void explain_struct(const kiln_value *value, const next_step *step, char *text)
{
    insp_similar similar;
    uint32_t i;
    if (step->is_bracket) {
        snprintf(text, TEXT_SIZE, "is a %.*s, whose fields are named .FIELD", SHOWN_MAX,
                 value->of->name);
        return;
    }
    snprintf(text, TEXT_SIZE, "is a %.*s, which has no field %.*s", SHOWN_MAX, value->of->name,
             step->length, step->word);
    insp_similar_init(&similar, step->word, (size_t)step->length);
    for (i = 0; i < value->of->member_count; i++)
        insp_similar_offer(&similar, value->of->members[i].name,
                           strlen(value->of->members[i].name));
    put_similar(text, &similar, "", "");
}

static void explain_union(const kiln_value *value, const next_step *step, char *text)
{
    const kiln_member *member = kiln_value_member(value);
    if (!member)
        snprintf(text, TEXT_SIZE, "is null");
    else
        snprintf(text, TEXT_SIZE, "contains the alternative %.*s, not %.*s", SHOWN_MAX,
                 member->name, step->length, step->word);
}

static void explain_list(const kiln_value *value, const next_step *step, char *text)
{
    uint32_t count = kiln_value_count(value);
    if (!count)
        snprintf(text, TEXT_SIZE, "is an empty list");
    else if (step->is_bracket && !step->is_quoted)
        snprintf(text, TEXT_SIZE, "has %" PRIu32 " element%s: [0] to [%" PRIu32 "]", count,
                 count == 1 ? "" : "s", count - 1);
    else
        snprintf(text, TEXT_SIZE, "is a list of %" PRIu32 "; use a number: [0]", count);
}

/* Suggests the nearest key. The number of compared keys is limited, because maps can be large. */
static void suggest_key(const kiln_value *map, const next_step *step, char *text)
{
    uint32_t count = kiln_value_count(map), i;
    insp_similar similar;
    insp_similar_init(&similar, step->word, (size_t)step->length);
    for (i = 0; i < count && i < KEYS_MAX; i++) {
        kiln_value key;
        const char *from;
        uint32_t length;
        if (kiln_value_key(map, i, &key) == KILN_OK && key.of->kind == KILN_KIND_STRING &&
            kiln_value_text(&key, &from, &length) == KILN_OK)
            insp_similar_offer(&similar, from, length);
    }
    put_similar(text, &similar, "[\"", "\"]");
}

static void explain_map(const kiln_value *value, const next_step *step, char *text)
{
    const kiln_type *key = kiln_types_get(value->types, value->of->key);
    bool quoted = !kiln_kind_is_integer(key->kind) && !kiln_kind_is_float(key->kind) &&
                  key->kind != KILN_KIND_BOOL;
    if (step->is_bracket && step->is_quoted == quoted) {
        snprintf(text, TEXT_SIZE, "is a map without this key");
        suggest_key(value, step, text);
    } else if (quoted) {
        snprintf(text, TEXT_SIZE, "is a map, whose keys are in brackets and quotes: [\"%.*s\"]",
                 step->length, step->word);
    } else {
        snprintf(text, TEXT_SIZE, "is a map, whose keys are numbers in brackets: [%.*s]",
                 step->length, step->word);
    }
}

static void explain_reference(const insp_mounts *mounts, const insp_stop *stop,
                              const kiln_value *value, const next_step *step, char *text)
{
    uint64_t id = kiln_value_uint(value);
    insp_text name = insp_message_name(insp_mounts_name(mounts, id));
    if (!insp_mounts_target(mounts, id).asset)
        snprintf(text, TEXT_SIZE, "refers to %.*s, which is not in the file%s", (int)name.length,
                 name.data, mounts->count > 1 ? "s" : "; use --mount to add files");
    else if (stop->is_one_asset)
        snprintf(text, TEXT_SIZE, "refers to %.*s; use the path of its value: %.*s.%.*s",
                 (int)name.length, name.data, (int)name.length, name.data, step->length,
                 step->word);
    else
        snprintf(text, TEXT_SIZE, "refers to %.*s; use ->: %.*s->%.*s", (int)name.length, name.data,
                 stop->length < SHOWN_MAX ? (int)stop->length : SHOWN_MAX, stop->path, step->length,
                 step->word);
}

static void explain(const insp_mounts *mounts, const insp_stop *stop, char *text)
{
    next_step step = read_step(stop);
    kiln_value value = stop->value;
    if (!insp_walk_unwrap(&value)) {
        snprintf(text, TEXT_SIZE, "is broken; see kiln-inspect verify");
        return;
    }
    switch (value.of->kind) {
    case KILN_KIND_REF:
        explain_reference(mounts, stop, &value, &step, text);
        return;
    case KILN_KIND_OPTIONAL:
        snprintf(text, TEXT_SIZE, "is null");
        return;
    default:
        break;
    }
    if (step.is_arrow) {
        snprintf(text, TEXT_SIZE, "is not a reference, so -> cannot follow it");
        return;
    }
    switch (value.of->kind) {
    case KILN_KIND_STRUCT:
        explain_struct(&value, &step, text);
        return;
    case KILN_KIND_UNION:
        explain_union(&value, &step, text);
        return;
    case KILN_KIND_ARRAY:
    case KILN_KIND_FIXED:
        explain_list(&value, &step, text);
        return;
    case KILN_KIND_MAP:
        explain_map(&value, &step, text);
        return;
    default:
        snprintf(text, TEXT_SIZE, "is a %s, which has no parts", kiln_kind_name(value.of->kind));
    }
}

int insp_complain_stop(insp_run *run, const insp_mounts *mounts, const insp_file *file,
                       const insp_stop *stop)
{
    char text[TEXT_SIZE] = "";
    char next = stop->path[stop->length];
    int shown = stop->length < SHOWN_MAX ? (int)stop->length : SHOWN_MAX;
    bool is_step =
        next == '.' || next == '-' || (next == '[' && strchr(stop->path + stop->length, ']'));
    if (stop->value.of &&
        (stop->status == KILN_NOT_FOUND || (stop->status == KILN_BAD_ARGUMENT && is_step)))
        explain(mounts, stop, text);
    if (text[0])
        insp_complain(run, file->path, "no value at %.300s: %.*s %s", stop->path, shown, stop->path,
                      text);
    else
        insp_complain(run, file->path, "no value at %.300s: %s after %.*s", stop->path,
                      stop->status == KILN_BAD_ARGUMENT ? "not a path"
                                                        : kiln_status_text(stop->status),
                      shown, stop->path);
    return INSP_BAD;
}
