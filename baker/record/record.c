/* Makes records. Rows are copied, because the gateway and the options end before the record does.
 */

/* For open_memstream. */
#define _POSIX_C_SOURCE 200809L

#include "record.h"

#include "bake_memory.h"
#include "record_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bake_record *bake_record_create(void)
{
    return bake_alloc_array(1, sizeof(bake_record));
}

void bake_record_cut_options(bake_record *record, size_t count)
{
    if (count < record->option_count)
        record->option_count = count;
}

void bake_record_destroy(bake_record *record)
{
    if (!record)
        return;
    bake_gateway_destroy(record->gateway);
    bake_store_fini(&record->store);
    bake_free(record);
}

/* ---- copies; the store remembers whether memory ran out ---- */

static const char *copy(bake_record *record, const char *text)
{
    return bake_store_text(&record->store, text, strlen(text));
}

void bake_record_copy_options(bake_record *record, const bake_record_def *def)
{
    record->version = copy(record, def->version);
    record->options = bake_store_alloc(&record->store, def->option_count, sizeof *record->options);
    for (size_t i = 0; i < def->option_count && record->options; i++) {
        record->options[i].name = copy(record, def->options[i].name);
        record->options[i].value = copy(record, def->options[i].value);
    }
    record->option_count = def->option_count;
}

bake_input_variable bake_record_copy_variable(bake_record *record,
                                              const bake_input_variable *variable)
{
    return (bake_input_variable){copy(record, variable->name),
                                 variable->value ? copy(record, variable->value) : NULL};
}

static void copy_variables(bake_record *record, const bake_gateway *gateway)
{
    size_t count = bake_gateway_input_variable_count(gateway);
    record->variables = bake_store_alloc(&record->store, count, sizeof *record->variables);
    for (size_t i = 0; i < count && record->variables; i++) {
        const bake_input_variable variable = bake_gateway_input_variable(gateway, i);
        record->variables[i] = bake_record_copy_variable(record, &variable);
    }
    record->variable_count = count;
}

const char *const *bake_record_copy_suffixes(bake_record *record, const char *const *suffixes)
{
    size_t count = 0;
    while (suffixes[count])
        count++;
    const char **copies = bake_store_alloc(&record->store, count + 1, sizeof *copies);
    for (size_t i = 0; i < count && copies; i++)
        copies[i] = copy(record, suffixes[i]);
    return copies;
}

bake_input_list bake_record_copy_list(bake_record *record, bake_input_list list)
{
    list.path = copy(record, list.path);
    list.suffixes = bake_record_copy_suffixes(record, list.suffixes);
    list.names = bake_store_text(&record->store, list.names ? list.names : "", list.size);
    return list;
}

static void copy_lists(bake_record *record, const bake_gateway *gateway)
{
    size_t count = bake_gateway_input_list_count(gateway);
    record->lists = bake_store_alloc(&record->store, count, sizeof *record->lists);
    for (size_t i = 0; i < count && record->lists; i++) {
        record->lists[i] = bake_record_copy_list(record, bake_gateway_input_list(gateway, i));
    }
    record->list_count = count;
}

/* ---- paths and outputs ---- */

/* Converts a path of the gateway to one of a record; returns false if that is impossible. */
static bool make_path(const bake_input_path *input, record_path *ret)
{
    ret->kind = input->kind;
    ret->is_read = input->use == BAKE_USE_READ;
    ret->state = input->state;
    ret->hash = input->hash;
    ret->execution = input->execution;
    bool is_stdin = strcmp(input->path, "-") == 0;
    if (is_stdin || !input->is_stable || input->has_unknown || input->kind == BAKE_PATH_UNKNOWN)
        return false;
    if (ret->is_read)
        return input->has_hash && input->kind == BAKE_PATH_FILE;
    /* A file that exists but could not be read. */
    return input->use != BAKE_USE_MISSING || input->kind != BAKE_PATH_FILE;
}

bool bake_record_copy_path(bake_record *record, const bake_input_path *input, record_path *ret)
{
    if (!make_path(input, ret))
        return false;
    ret->path = copy(record, input->path);
    return true;
}

/* Returns false with the path that prevents a record. */
static bool copy_paths(bake_record *record, const bake_gateway *gateway, const char **reterr_path)
{
    size_t count = bake_gateway_use_count(gateway);
    record->paths = bake_store_alloc(&record->store, count, sizeof *record->paths);
    for (size_t i = 0; i < count && record->paths; i++) {
        bake_input_path input = bake_gateway_input_path(gateway, i);
        /* The lists of names contain this folder. */
        if (input.use == BAKE_USE_LISTED && input.is_stable)
            continue;
        if (!bake_record_copy_path(record, &input, &record->paths[record->path_count])) {
            *reterr_path = input.path;
            return false;
        }
        record->path_count++;
    }
    return true;
}

bool bake_record_copy_outputs(bake_record *record, const bake_gateway *gateway)
{
    size_t count = bake_gateway_output_file_count(gateway);
    record->outputs = bake_store_alloc(&record->store, count, sizeof *record->outputs);
    for (size_t i = 0; i < count && record->outputs; i++) {
        bake_output_file file = bake_gateway_output_file(gateway, i);
        if (!file.is_committed)
            continue;
        if (!file.path)
            return false;
        record->outputs[record->output_count++] = (record_path){.path = copy(record, file.path),
                                                                .kind = BAKE_PATH_FILE,
                                                                .is_read = true,
                                                                .state = file.state,
                                                                .hash = file.hash};
    }
    return true;
}

/* ---- messages ---- */

typedef struct message_text {
    char *data;
    size_t size, capacity;
} message_text;

static bool add_text(void *ctx, const void *data, size_t size)
{
    message_text *text = ctx;
    char *grown = bake_grow(text->data, &text->capacity, text->size + size, 1);
    if (!grown)
        return false;
    text->data = grown;
    memcpy(grown + text->size, data, size);
    text->size += size;
    return true;
}

/* The printer of the text form needs a stream. */
static bool print(bake_diagnostics *diagnostics, bool color, message_text *text)
{
    char *data = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&data, &size);
    if (!stream)
        return false;
    bake_diagnostics_print(diagnostics, stream, color);
    bool done = !ferror(stream);
    done = fclose(stream) == 0 && done && add_text(text, data, size);
    /* The stream allocates with malloc. */
    free(data);
    return done;
}

static bool make_message(bake_diagnostics *diagnostics, bake_message_form form, message_text *text)
{
    static const bake_run_end end = {0, NULL};
    switch (form) {
    case BAKE_MESSAGES_JSON:
        return bake_diagnostics_write_json(diagnostics, &end, add_text, text);
    case BAKE_MESSAGES_SARIF:
        return bake_diagnostics_write_sarif(diagnostics, &end, add_text, text);
    default:
        return print(diagnostics, form == BAKE_MESSAGES_COLORED, text);
    }
}

bool bake_record_update_messages(bake_record *record, bake_diagnostics *diagnostics)
{
    record->warnings = bake_diagnostics_warnings(diagnostics);
    for (int form = 0; form < BAKE_MESSAGE_FORMS; form++) {
        message_text text = {0};
        bool done = make_message(diagnostics, (bake_message_form)form, &text);
        record->messages[form].size = text.size;
        record->messages[form].text =
            bake_store_text(&record->store, text.data ? text.data : "", text.size);
        bake_free(text.data);
        if (!done)
            return false;
    }
    return true;
}

bake_record *bake_record_make(const bake_record_def *def, const bake_gateway *gateway,
                              bake_diagnostics *diagnostics, const char **reterr_path)
{
    bake_record *record = bake_record_create();
    int error = record ? 0 : ENOMEM;
    *reterr_path = NULL;
    if (record) {
        record->began = bake_gateway_began(gateway);
        bake_record_copy_options(record, def);
        copy_variables(record, gateway);
        copy_lists(record, gateway);
        if (!copy_paths(record, gateway, reterr_path) || !bake_record_copy_outputs(record, gateway))
            error = EINVAL;
        else if (diagnostics && !bake_record_update_messages(record, diagnostics))
            error = ENOMEM;
        if (record->store.failed)
            error = ENOMEM;
    }
    if (!error)
        return record;
    bake_record_destroy(record);
    errno = error;
    return NULL;
}

const char *bake_record_messages(const bake_record *record, bake_message_form form,
                                 size_t *ret_size)
{
    *ret_size = record->messages[form].size;
    return record->messages[form].text ? record->messages[form].text : "";
}

size_t bake_record_warnings(const bake_record *record)
{
    return record->warnings;
}

size_t bake_record_output_count(const bake_record *record)
{
    return record->output_count;
}

const char *bake_record_output(const bake_record *record, size_t i)
{
    return record->outputs[i].path;
}

kiln_hash128 bake_record_output_hash(const bake_record *record, size_t i, uint64_t *ret_size)
{
    *ret_size = record->outputs[i].state.size;
    return record->outputs[i].hash;
}

bool bake_record_reads(const bake_record *record, const char *path)
{
    bake_file_state state;
    if (bake_file_look(NULL, path, &state) != BAKE_PATH_FILE)
        return false;
    for (size_t i = 0; i < record->path_count; i++) {
        const bake_file_state *read = &record->paths[i].state;
        if (record->paths[i].is_read && read->device == state.device && read->inode == state.inode)
            return true;
    }
    return false;
}
