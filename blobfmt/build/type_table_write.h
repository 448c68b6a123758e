/* Writes a type table of any unfolded size. Only kiln_type_table_write and tests call it: tests
 * check that readers reject the tables that kiln_type_table_write refuses to write. */
#ifndef KILN_TYPE_TABLE_WRITE_H
#define KILN_TYPE_TABLE_WRITE_H

#include <kiln/type_table.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

kiln_status kiln_type_table_build(const kiln_allocator *allocator, const kiln_types *types,
                                  kiln_buffer *ret_blob, kiln_error *reterr);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
