/* Everything that a program needs to build blobs and files without YAML: one include for all.
 *
 * The headers are the manual. Read them in this order, as far as you need them:
 *
 *     status.h        what functions return when they fail, and how to print it
 *     allocator.h     where memory comes from; bytes that are passed and returned
 *     types.h         the types of values; type_table.h reads and writes them as a blob
 *     builder.h       build one blob; generated headers wrap it with the types of a schema
 *     file_writer.h   write blobs as the assets of a file
 *     scene.h         write and read scenes
 *     verify.h        verify bytes from any source
 *     value.h         traverse values without generated code; path.h finds them by path
 *     convert.h       rebuild values of an older layout
 *
 * Initialize a struct whose name ends in `_def` with its `..._def_default()`. In a struct whose
 * name ends in `_args`, zero is the default of each field. To load files, see <kiln/kiln.h>. */
#ifndef KILN_KILN_BUILD_H
#define KILN_KILN_BUILD_H

#include <kiln/allocator.h>
#include <kiln/builder.h>
#include <kiln/convert.h>
#include <kiln/file_writer.h>
#include <kiln/path.h>
#include <kiln/relative.h>
#include <kiln/scene.h>
#include <kiln/status.h>
#include <kiln/type_table.h>
#include <kiln/types.h>
#include <kiln/value.h>
#include <kiln/verify.h>
#include <kiln/version.h>

#endif
