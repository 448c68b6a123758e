/* Includes everything that a program needs to load baked files and to run.
 *
 * The headers are the reference documentation. Read those that you need, in this order:
 *
 *     status.h      what functions return when they fail, and how to print it
 *     file.h        open one file, find assets, read them in place
 *     relative.h    strings, arrays and pointers inside assets
 *     assets.h      many files, patches, references that outlive a reload
 *     replaced.h    which assets changed when a file was replaced (hot reload)
 *     payloads.h    textures, sounds and other large data: in place, or ranges of them
 *     ref.h         kiln_ref, 64-bit references to assets; for C++ also owned.h
 *     world.h       entities, components, archetypes
 *     query.h       iterate over entities
 *     commands.h    record changes on many threads, play them back on one
 *     appender.h, batch.h   create many entities fast, one by one or in parallel
 *     reader.h      read one component by handle, many times
 *     scenes.h      load, unload and save scenes
 *     collector.h   remove loaded assets that nothing can reach
 *     clusters.h    mark assets that are loaded and removed together
 *     pool.h        objects that never move, without a world
 *
 * Initialize each struct whose name ends in `_def` with its `..._def_default()`. In structs whose
 * names end in `_args`, zero is the default of each field. To build files, see <kiln/kiln_build.h>.
 */
#ifndef KILN_KILN_H
#define KILN_KILN_H

#include <kiln/appender.h>
#include <kiln/assets.h>
#include <kiln/batch.h>
#include <kiln/clusters.h>
#include <kiln/collector.h>
#include <kiln/commands.h>
#include <kiln/file.h>
#include <kiln/owned.h>
#include <kiln/payloads.h>
#include <kiln/pool.h>
#include <kiln/query.h>
#include <kiln/reader.h>
#include <kiln/ref.h>
#include <kiln/relative.h>
#include <kiln/replaced.h>
#include <kiln/scenes.h>
#include <kiln/status.h>
#include <kiln/version.h>
#include <kiln/world.h>

#endif
