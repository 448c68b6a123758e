/* The rows of a record, which record.c makes. Private to the storey. */
#ifndef BAKE_RECORD_STORE_H
#define BAKE_RECORD_STORE_H

#include "bake_store.h"
#include "record.h"

/* A path that was used. Only a file that was read has a state and a hash. The last two members
 * occur only in records of inputs (record_inputs.h). */
typedef struct record_path {
    const char *path;
    bake_path_kind kind; /* not BAKE_PATH_UNKNOWN */
    bool is_read;        /* the content matters, too; `kind` is BAKE_PATH_FILE */
    bake_execution execution;
    bake_file_state state;
    kiln_hash128 hash;
    bool has_state;   /* the state matters, too; the content could not be read */
    bool is_unstable; /* it changed during the run */
} record_path;

typedef struct record_messages {
    const char *text;
    size_t size;
} record_messages;

struct bake_record {
    bake_store store; /* of all texts and rows but those in `bytes` */
    /* Of a record that was loaded: the bytes of its file, which the store or the gateway owns, and
     * its state; otherwise zero. */
    bake_gateway *gateway;
    const unsigned char *bytes;
    size_t byte_count;
    bake_file_state state;
    int64_t began;   /* all states are newer */
    int64_t checked; /* when the last check began; 0: never */
    const char *version;
    bake_record_option *options;
    size_t option_count;
    bake_input_variable *variables;
    size_t variable_count;
    record_path *paths;
    size_t path_count;
    bake_input_list *lists;
    size_t list_count;
    record_path *outputs; /* `is_read` is set */
    size_t output_count;
    size_t warnings;
    record_messages messages[BAKE_MESSAGE_FORMS];
};

/* Returns a zeroed record, or NULL if memory runs out. */
bake_record *bake_record_create(void);
/* Copies version and options. The store remembers whether memory ran out. */
void bake_record_copy_options(bake_record *record, const bake_record_def *def);
/* The store remembers whether memory ran out. */
bake_input_variable bake_record_copy_variable(bake_record *record,
                                              const bake_input_variable *variable);
/* Converts a path of a gateway to one of the record. Returns false if that is impossible. The store
 * remembers whether memory ran out. */
bool bake_record_copy_path(bake_record *record, const bake_input_path *input, record_path *ret);
/* Copies a list of names. The store remembers whether memory ran out. */
bake_input_list bake_record_copy_list(bake_record *record, bake_input_list list);
/* Adds the outputs that the gateway committed. Returns false if one of them is no file. The store
 * remembers whether memory ran out. */
bool bake_record_copy_outputs(bake_record *record, const bake_gateway *gateway);
/* Copies a list that ends with NULL. Returns NULL if memory runs out. */
const char *const *bake_record_copy_suffixes(bake_record *record, const char *const *suffixes);

#endif
