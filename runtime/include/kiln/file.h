/* Opens a baked file and returns its assets as plain structs, in place.
 *
 * Opening checks everything on which lookups depend: the frame of the index (see <kiln/index.h>),
 * its hash, the order of the ids, and that each asset's type and member exist. That costs little
 * more than reading the index once. At level `none` only the frame is checked, which costs almost
 * nothing. The rest is checked when an asset is used: its name, the location and sizes of its
 * member, and, as thoroughly as the verification level (`level`) requires, the member itself. The
 * member is checked once, and the verdict is cached. A root pointer is valid until the file is
 * closed.
 *
 *     none   the member's location and sizes, and its header against the index: H1 to H5, I6, I7,
 *            I11
 *            for files that are as trusted as the program
 *     hash   also the hashes of index, blob and stored bytes: H8, H9, I16
 *            for files that storage may have damaged
 *     deep   also every other rule of a blob: H6 to H10, V1 to V19
 *            for bytes from anywhere (default)
 *
 * The first use of a compressed member decompresses it into memory that the file owns and frees
 * when it is closed. At every level its bytes must be one zstd frame of the stated size (I17), and
 * its dictionary must be usable (I18). The total size of such memory is at most 256 times the size
 * of the file.
 *
 * So hostile bytes are harmless even in an index that was not checked completely. They can only
 * hide an asset or its name, or make an asset appear under a wrong name. kiln_file_verify detects
 * that. It also checks rules on which lookups do not depend (members that overlap, gaps, imports,
 * references between assets). kiln_file_index checks the index alone.
 *
 * Deep verification checks a member against the program's own types if the definition has them
 * (`types`, from the generated header), else against the file's type table. A forged file is
 * harmless only with the program's own types, because 64-bit layout hashes detect mistakes, not
 * forgery.
 *
 * These guarantees hold only if the bytes do not change after opening. KILN_SOURCE_MAP maps the
 * file. Use it for files that are replaced only by rename, as kiln-bake does: if another process
 * truncates a mapped file, reading it raises SIGBUS. KILN_SOURCE_COPY reads the file into private
 * memory. Use it for files to which other programs may write.
 *
 * Threads. No other call may use the file while it is opened or closed. In between, any number of
 * threads may call every other function at once. If two threads need a member that is not checked
 * yet, one checks it and the other waits for the verdict. If only a hash is checked, both may
 * compute it. The allocator must be thread-safe if threads share a file.
 *
 * Memory. Assets that are stored uncompressed need no allocation. Opening allocates two bytes per
 * member. The file's type table is read once, when a deep check first needs it. A deep check
 * allocates a bitmap and frees it. The first use of a compressed member adds 16 bytes per
 * member, and as many shared contexts as there are threads that decompress at the same time.
 * Running out of memory is not a verdict: the next call tries again. */
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

/* An asset of an open file; zero is null. Valid only for the file in which it was found, until that
 * file is closed. */
typedef struct kiln_asset {
    uint32_t number; /* in the index, plus 1 */
} kiln_asset;

/* A type that can be the root of an asset, from a generated header. */
typedef struct kiln_root_type {
    const char *name; /* qualified */
    uint64_t layout;
} kiln_root_type;

typedef enum kiln_source { KILN_SOURCE_MAP, KILN_SOURCE_COPY } kiln_source;
typedef enum kiln_verify_level {
    KILN_VERIFY_NONE,
    KILN_VERIFY_HASH,
    KILN_VERIFY_DEEP
} kiln_verify_level;

typedef struct kiln_file_def {
    /* One of `path` and `data` is required. A path must name a regular file. */
    const char *path;
    /* The bytes of the file. With KILN_SOURCE_MAP, they are used in place: they must outlive the
     * kiln_file and be aligned to the largest alignment in the file (16 unless a type or a payload
     * requires more), else the status is H7. With KILN_SOURCE_COPY, they are copied. */
    const void *data;
    size_t size;             /* of `data` */
    kiln_source source;      /* default KILN_SOURCE_MAP */
    kiln_verify_level level; /* default KILN_VERIFY_DEEP */
    /* The program's type table (a blob in the generated header, at a multiple of 16), or NULL. Read
     * when the file is opened and not needed afterwards. */
    const void *types;
    size_t types_size;
    const kiln_allocator *allocator; /* NULL: the C library's */
    uint32_t cookie;                 /* private: set by kiln_file_def_default */
} kiln_file_def;

kiln_file_def kiln_file_def_default(void);

/* Opens a file. On failure nothing is leaked and `ret_file` is untouched. Safe on hostile bytes.
 * KILN_IO: a system call failed; errno and `reterr->system_error` have the reason.
 * KILN_BAD_ARGUMENT: the definition is invalid, or its type table is (`reterr->path` is then
 * `types`). KILN_UNSUPPORTED: the file has more bytes than this build can address. Otherwise the
 * rule that the index violates, or H7, NO_MEMORY, BIG_ENDIAN_HOST. `reterr->path` is a path in the
 * index or, without one, the path of the file. */
kiln_status kiln_file_open(const kiln_file_def *def, kiln_file **ret_file, kiln_error *reterr);
/* Invalidates all root pointers into the file. NULL is fine. */
void kiln_file_close(kiln_file *file);

/* Finds an asset by name or id in O(1). Returns null if there is none, and for a NULL name or the
 * id 0. `name` is `Kind/id`. The search compares only ids. To be sure of the name, compare it with
 * kiln_file_asset_name. In files that Kiln wrote, the names are always equal. */
kiln_asset kiln_file_find(const kiln_file *file, const char *name);
kiln_asset kiln_file_find_id(const kiln_file *file, kiln_id id);

uint32_t kiln_file_asset_count(const kiln_file *file);
/* The asset at index `i`, in the order of ids. `i` must be less than the count. */
kiln_asset kiln_file_asset_at(const kiln_file *file, uint32_t i);
/* Name, id and qualified type name; NULL or 0 for null. Valid until the file is closed. The name is
 * "" if a forged index contains an invalid one (I3). */
const char *kiln_file_asset_name(const kiln_file *file, kiln_asset asset);
kiln_id kiln_file_asset_id(const kiln_file *file, kiln_asset asset);
const char *kiln_file_asset_type(const kiln_file *file, kiln_asset asset);

/* The asset's root as a `type`. NULL with the reason in `reterr` (may be NULL): TYPE_MISMATCH
 * (a different type, or the same type with a different layout; `path` is the asset's name),
 * NOT_FOUND for a null asset, NO_TYPES (no type table is available for the check, or the program's
 * own lacks this type with this layout; `path` is the type's name), or an error of the member, its
 * dictionary or the type table. A bad member returns the same status every time. Offsets count from
 * the first byte of the file; in a compressed member, as if its blob were stored there
 * uncompressed. Generated headers wrap this function. */
const void *kiln_file_root(kiln_file *file, kiln_asset asset, const kiln_root_type *type,
                           kiln_error *reterr);

/* Checks the members of assets before they are used, and decompresses compressed members, as the
 * first kiln_file_root of each asset would. Several threads can divide the assets among themselves.
 * A failure does not stop the call; the status and `reterr` are those of the first failure.
 * NOT_FOUND: an asset is null. */
kiln_status kiln_file_prepare(kiln_file *file, const kiln_asset *assets, uint32_t count,
                              kiln_error *reterr);

/* Checks every rule of the index, that gaps are zero (I8), and every member, at `level` or the
 * file's own level, whichever is deeper. KILN_VERIFY_DEEP adds the content hashes (I12), the type
 * table if there is one (I13), that all dictionaries are usable (I18), that each reference has an
 * edge (I15; `path` is the name of the referring asset) and each edge a reference (I21), the
 * payloads (P1 to P4), the cluster plan (K1 to K6) and the list of redirects (R1 to R4). Members
 * whose types are not among the program's own are checked against the file's type table; plan and
 * redirects are checked against the format's own types. Earlier checks are repeated. Compressed
 * members are decompressed one at a time, into memory that is freed after each. Linear in the size
 * of the file, except for one binary search per reference and redirect. */
kiln_status kiln_file_verify(kiln_file *file, kiln_verify_level level, kiln_error *reterr);

/* The index. The first call checks all of its rules, in time linear in the index. NULL with the
 * reason in `reterr` if a rule is violated or memory runs out. */
const kiln_index *kiln_file_index(kiln_file *file, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
