/* A small file made in memory, its types, and an allocator that counts and fails.
 *
 * Assets: `Item/lamp` refers to `Item/oil` and to the import `Item/elsewhere`. `Item/oil` and
 * `Item/tar` are equal, so they share a member. So do `Item/cord` and `Item/wick`, which refer to
 * `Item/oil`. `Page/intro` requires an alignment of 64. */
#ifndef FILE_FIXTURE_H
#define FILE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <kiln/file.h>
#include <kiln/file_writer.h>

typedef struct test_item {
    kiln_string name;
    kiln_array tags; /* kiln_string */
    kiln_array refs; /* kiln_id */
    uint32_t hp;
    uint8_t kind;
    uint8_t lucky;
} test_item;

typedef struct test_page {
    KILN_ALIGNAS(64) kiln_string text;
} test_page;

enum { PAGE_ALIGN = 64, ASSET_COUNT = 6, PACKED_ITEMS = 64 };

/* The types that a file or a program has. */
typedef enum fixture_layout {
    LAYOUT_NOW,
    LAYOUT_OLDER,   /* a different layout of test.Item */
    LAYOUT_ITEMLESS /* only test.Page */
} fixture_layout;

kiln_types *fixture_types(fixture_layout layout);
kiln_root_type fixture_root_type(const char *name);

/* Makes the file. Free it with kiln_buffer_fini. */
kiln_buffer fixture_file(bool omit_type_table);
/* The same with longer strings, and with its members compressed or not. */
kiln_buffer fixture_packed_file(bool is_packed);
/* The same compressed, with PACKED_ITEMS more items (`Item/0`, ...) that share a dictionary. */
kiln_buffer fixture_dictionary_file(void);
/* A file with one asset, `Item/solo`, a small type table and no references. */
kiln_buffer fixture_small_file(void);
/* The type table blob of a program. Free it with kiln_buffer_fini. */
kiln_buffer fixture_type_table(fixture_layout layout);

/* Opens `size` bytes at `data` in place at `level`, without types from the program. */
kiln_status fixture_open(const void *data, size_t size, kiln_verify_level level,
                         kiln_file **ret_file, kiln_error *reterr);
/* The index entry of the member of asset `name`. */
const kiln_index_member *fixture_member(kiln_file *file, const char *name);
/* Returns `place`, which points into `image`, as a writable pointer to bytes. */
unsigned char *fixture_writable(unsigned char *image, const void *place);
/* Recomputes only the hash of the blob at `data`. */
void fixture_rehash(unsigned char *data);
/* Also recomputes the content hash in the index and the index's own hash. */
void fixture_rehash_member(unsigned char *image, uint64_t place);

/* Reads everything in an open file, as a program would, for sanitizers to check. */
uint64_t fixture_read_all(kiln_file *file);
/* Returns true if opening, reading and verifying the bytes at `data` succeeds. */
bool fixture_reads_well(const void *data, size_t size, kiln_verify_level level);

typedef struct counting_allocator {
    kiln_allocator allocator; /* pass its address */
    size_t bytes;             /* in use */
    size_t calls;             /* number of allocations so far */
    size_t fail_at;           /* number of the allocation that fails, from 1; 0 for none */
    bool fail_rest;           /* all later ones fail, too */
} counting_allocator;

void counting_allocator_init(counting_allocator *counting);

#endif
