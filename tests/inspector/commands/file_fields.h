/* Finds the numbers in a file's index, scenes and type table, so that tests can change each of
 * them. */
#ifndef FILE_FIELDS_H
#define FILE_FIELDS_H

#include <kiln/types.h>
#include <stddef.h>
#include <stdint.h>

enum { FILE_FIELDS_MAX = 20000, FILE_BLOBS_MAX = 64, FILE_COUNTS_MAX = 16 };

/* A number of `size` bytes at `at`. A relative field counts as two numbers of 4 bytes. */
typedef struct file_field {
    size_t at;
    uint32_t size;
    uint32_t group;          /* id of the containing struct; fields of one group are adjacent */
    const char *type, *name; /* names of the struct and of the field */
} file_field;

/* A blob whose hashes depend on its bytes. */
typedef struct file_blob {
    size_t at;
    uint64_t size; /* of the payload */
    uint64_t layout;
    uint32_t flags, kind;
    uint32_t member; /* UINT32_MAX for the index */
} file_blob;

typedef struct file_fields {
    unsigned char *data; /* the file; owned and changed by the caller */
    kiln_types *fixed, *types;
    size_t size, members_at;
    uint32_t count, group_count, blob_count, length_count;
    uint64_t lengths[FILE_COUNTS_MAX]; /* lengths of the index's lists, each once */
    file_blob blobs[FILE_BLOBS_MAX];   /* the index is last */
    file_field items[FILE_FIELDS_MAX];
} file_fields;

/* Collects the fields of a valid file, and at most four elements of each list. */
void file_fields_find(file_fields *f, unsigned char *data, size_t size);
void file_fields_fini(file_fields *f);

uint64_t file_field_get(const file_fields *f, const file_field *field);

void file_field_set(const file_fields *f, const file_field *field, uint64_t value);
/* Recomputes all hashes, so that readers do not stop before they reach the changed bytes. */
void file_fields_repair(const file_fields *f);

#endif
