/* Opens a baked file and gives its assets as plain structs, where they lie.
 *
 * Opening checks what look-ups stand on: the frame of the index (see <kiln/index.h>), its hash, the
 * order of the ids, and that each asset's type and member exist. That costs little more than
 * reading the index once. In the tier `none` it is the frame alone, and costs next to nothing. What
 * concerns one asset is checked when it is asked for: its name, its member's place and sizes, and
 * the member, that once, on the first use of an asset that it holds, as thoroughly as the
 * definition's tier says. Its verdict is kept. A root pointer stays good until the file is closed.
 *
 *     none   the member's place and sizes, and its header against the index: H1 to H5, I6, I7, I11
 *            for files that are as trusted as the program
 *     hash   that, and the hashes of index and blob, and of stored bytes: H8, H9, I16
 *            for files that storage may have damaged
 *     deep   that, and every other rule of a blob: H6 to H10, V1 to V19
 *            for bytes from anywhere (default)
 *
 * A member that is stored compressed is decompressed by that first use into memory of the file's,
 * which stays until the file is closed; in every tier its bytes must be one frame of the stated
 * size (I17) and its dictionary must be one (I18). All such memory together is at most 256 times
 * the file's size, whatever is in the file.
 *
 * So hostile bytes are harmless in an index that was not checked whole: all they can do is hide an
 * asset or its name, or let it be found by a name that it has not. Whether they do, and what no
 * look-up needs (members that overlap, gaps, imports, references between assets), kiln_file_verify
 * says, and kiln_file_index of the index alone.
 *
 * The deep tier checks a member against the program's own types when the definition gives them
 * (`types`, from the generated header), else against the file's type table. Only with the program's
 * own types is a forged file harmless: 64-bit layout hashes keep honest mistakes out, not forgers.
 *
 * These promises hold for bytes that do not change after opening. KILN_SOURCE_MAP maps the file:
 * for files that are replaced by rename only, as kiln-bake does; if another process truncates a
 * mapped file, reading it raises SIGBUS. KILN_SOURCE_COPY reads it into private memory, for files
 * that others may write to.
 *
 * Threads. Open and close stand alone: nothing else may use the file at that moment. Between them
 * every other function may be called by any number of threads at once; two threads that meet in a
 * member's first check share its verdict: one checks, the other waits (or hashes it too, where that
 * is all there is to check). The allocator is called by whichever thread checks, so it must bear
 * that where threads share a file.
 *
 * Memory. No function here allocates for each asset that is stored plain: one byte of state a
 * member is allocated at open; the file's type table is read once, when a deep check first needs
 * it; a deep check borrows memory for its bitmap and gives it back. The first compressed member
 * that is used adds 16 bytes a member, and what threads that decompress at once need, which they
 * pass on to one another. Running out of memory is no verdict: the next call tries again. */
#ifndef KILN_FILE_H
#define KILN_FILE_H

#include <kiln/index.h>
#include <kiln/relative.h>
#include <kiln/status.h>
#include <kiln/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_file kiln_file;

/* An asset of an open file; zero is null. Good for the file it was found in, until that is closed.
 */
typedef struct kiln_asset {
    uint32_t number; /* in the index, plus 1 */
} kiln_asset;

/* What generated headers say of a type that may be a root. */
typedef struct kiln_root_type {
    const char *name; /* qualified */
    uint64_t layout;
} kiln_root_type;

typedef enum kiln_source { KILN_SOURCE_MAP, KILN_SOURCE_COPY } kiln_source;
typedef enum kiln_tier { KILN_TIER_NONE, KILN_TIER_HASH, KILN_TIER_DEEP } kiln_tier;

typedef struct kiln_file_def {
    /* One of `path` and `data` is required. A path must name a regular file. */
    const char *path;
    /* With KILN_SOURCE_MAP used in place: outlives the file, at a multiple of the largest alignment
     * in it (16 where no type asks for more; H7 otherwise). Copied with KILN_SOURCE_COPY. */
    const void *data;
    size_t size;        /* of `data` */
    kiln_source source; /* default KILN_SOURCE_MAP */
    kiln_tier tier;     /* default KILN_TIER_DEEP */
    /* The program's type table (a blob in the generated header, at a multiple of 16), or NULL. Read
     * at open and not needed afterwards. */
    const void *types;
    size_t types_size;
    const kiln_allocator *allocator; /* NULL: the C library's */
} kiln_file_def;

kiln_file_def kiln_file_def_default(void);

/* Opens all or nothing: on failure no memory, descriptor or mapping is left and `ret_file` is
 * untouched. Safe on hostile bytes. KILN_IO: errno says why. KILN_BAD_ARGUMENT: the definition
 * breaks its contract; with the path `types`, its type table does. KILN_UNSUPPORTED: the file has
 * more bytes than this build can address. Otherwise the rule that the index breaks, or H7,
 * NO_MEMORY, BIG_ENDIAN_HOST. */
kiln_status kiln_file_open(const kiln_file_def *def, kiln_file **ret_file, kiln_error *reterr);
/* Every root pointer of the file dies. NULL is fine. */
void kiln_file_close(kiln_file *file);

/* O(1); null where there is none. `name` is `Kind/id`, NULL or any text; the id 0 names nothing. An
 * asset is what has the name's id: kiln_file_asset_name says whether it has the name, too, which in
 * files that Kiln wrote it always has. */
kiln_asset kiln_file_find(const kiln_file *file, const char *name);
kiln_asset kiln_file_find_id(const kiln_file *file, kiln_id id);

uint32_t kiln_file_asset_count(const kiln_file *file);
/* Asset number `i` below the count, in the order of ids. */
kiln_asset kiln_file_asset_at(const kiln_file *file, uint32_t i);
/* Name, id and qualified type name; NULL or 0 for null. They live as long as the file. The name is
 * "" where a forged index holds no right one (I3). */
const char *kiln_file_asset_name(const kiln_file *file, kiln_asset asset);
kiln_id kiln_file_asset_id(const kiln_file *file, kiln_asset asset);
const char *kiln_file_asset_type(const kiln_file *file, kiln_asset asset);

/* The asset's root as a `type`. NULL with the reason in `reterr` (may be NULL): TYPE_MISMATCH
 * (another type, or the same with another layout; `path` is the asset's name), NOT_FOUND for a null
 * asset, NO_TYPES (there is no type table to check against, or the program's own has not this type
 * with this layout; `path` is the type's name), or what checking the member, its dictionary or the
 * type table found. A bad member gives the same status every time. Offsets count from the file's
 * first byte; in a compressed member as if its blob lay plain at its place. Generated headers wrap
 * it. */
const void *kiln_file_root(kiln_file *file, kiln_asset asset, const kiln_root_type *type,
                           kiln_error *reterr);

/* Does what the first kiln_file_root of each asset would do, ahead of use: checks its member, and
 * decompresses one that is stored compressed. Threads that share the assets among them share the
 * work. All are tried; the status and the reason are the first failure's, NOT_FOUND for a null
 * asset. */
kiln_status kiln_file_prepare(kiln_file *file, const kiln_asset *assets, uint32_t count,
                              kiln_error *reterr);

/* Checks every rule of the index and every member now, at `tier` or the file's own, whichever is
 * deeper, and the zeros of the gaps (I8). The deep tier adds the content hashes (I12), the type
 * table where there is one (I13), that all dictionaries are usable (I18), that references are
 * listed (I15; `path` is the name of the asset that refers) and that no other edges are (I21). It
 * checks members whose type the program's own types lack against the file's type table, and checks
 * again what was checked before. Compressed members are decompressed one at a time, into memory
 * that is freed after each. Linear in the file. */
kiln_status kiln_file_verify(kiln_file *file, kiln_tier tier, kiln_error *reterr);

/* The index, for who wants more: every rule of it is checked by the first call, linear in the
 * index. NULL with the reason in `reterr` where one is broken, or without memory. */
const kiln_index *kiln_file_index(kiln_file *file, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
