/* A small file made in memory, the types it is made of, and an allocator that counts and fails.
 *
 * Assets: `Item/lamp` refers to `Item/oil` and to the import `Item/elsewhere`; `Item/oil` and
 * `Item/tar` are equal, so they share a member, and so do `Item/cord` and `Item/wick`, which refer
 * to `Item/oil`; `Page/intro` asks for an alignment of 64. */
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

/* Which types a file, or a program, is made with. */
typedef enum fixture_layout {
    LAYOUT_NOW,
    LAYOUT_OLDER,   /* another layout of test.Item */
    LAYOUT_ITEMLESS /* test.Page alone */
} fixture_layout;

kiln_types *fixture_types(fixture_layout layout);
kiln_root_type fixture_root_type(const char *name);

/* The file; ended by kiln_buffer_fini. */
kiln_buffer fixture_file(bool omit_type_table);
/* The same with longer texts, its members compressed or not; and, compressed, with PACKED_ITEMS
 * items more, `Item/0` and so on, for which there is a dictionary. */
kiln_buffer fixture_packed_file(bool is_packed);
kiln_buffer fixture_dictionary_file(void);
/* A file of one asset, `Item/solo`, with a short type table and no references. */
kiln_buffer fixture_small_file(void);
/* The type table blob of a program; ended by kiln_buffer_fini. */
kiln_buffer fixture_type_table(fixture_layout layout);

/* Opens `size` bytes at `data` in place, at `tier`, without types of the program's. */
kiln_status fixture_open(const void *data, size_t size, kiln_verify_level level,
                         kiln_file **ret_file, kiln_error *reterr);
/* The member of the asset `name` in the file image: its place, and its bytes. */
const kiln_index_member *fixture_member(kiln_file *file, const char *name);
/* Where `place`, which a typed pointer into `image` gives, can be written. */
unsigned char *fixture_writable(unsigned char *image, const void *place);
/* Makes the hash of the blob at `data` right again, and nothing else. */
void fixture_rehash(unsigned char *data);
/* Also the content hash in the index, and the index's own hash. */
void fixture_rehash_member(unsigned char *image, uint64_t place);

/* Reads everything that an open file gives, as a program would: for the sanitizers to watch. */
uint64_t fixture_read_all(kiln_file *file);
/* True when opening, reading and verifying what is at `data` accepted it. */
bool fixture_reads_well(const void *data, size_t size, kiln_verify_level level);

typedef struct counting_allocator {
    kiln_allocator allocator; /* pass its address */
    size_t bytes;             /* in use */
    size_t calls;             /* allocations so far */
    size_t fail_at;           /* the allocation that fails, counted from 1; 0 for none */
    bool fail_rest;           /* and all after it */
} counting_allocator;

void counting_allocator_init(counting_allocator *counting);

#endif
