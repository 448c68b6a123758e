/* Statuses: what went wrong, where, and which rule was broken.
 *
 * Most functions of Kiln's libraries that can fail return a `kiln_status`; for the others, the
 * comment states how a failure shows. Functions that read bytes also fill a `kiln_error` with the
 * position. Each rule of FORMAT.md has a status, for which kiln_status_rule returns the rule's
 * number. Comments may leave out the prefix KILN_, and may name a status by its rule: I3 is
 * KILN_I_NAME. New statuses are added only at the end of the list. */
#ifndef KILN_STATUS_H
#define KILN_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, rule, sentence). The rule is "" if the status does not belong to a rule. */
#define KILN_STATUS_LIST(X)                                                                        \
    X(OK, "", "ok")                                                                                \
    X(NO_MEMORY, "", "out of memory")                                                              \
    X(BAD_ARGUMENT, "", "an argument breaks the function's contract")                              \
    X(BIG_ENDIAN_HOST, "",                                                                         \
      "this host is big-endian; Kiln's bytes are used in place and little-endian only")            \
    X(TOO_LARGE, "L1",                                                                             \
      "the result would have more than 2147483647 bytes, or be nested deeper than 128")            \
    X(IO, "", "the operating system reported a read or write error")                               \
    X(NOT_FOUND, "", "no such asset, type or field")                                               \
    X(COPIED_FIELD, "",                                                                            \
      "a relative field was copied by value instead of being set through the builder")             \
    X(WRONG_SIZE, "", "an object's size does not match its type")                                  \
    X(DUPLICATE, "", "the same name or key was given twice")                                       \
    X(DANGLING, "", "the target of a reference is neither in the file nor imported")               \
    X(TYPE_MISMATCH, "", "the asset has a different type or layout than expected")                 \
    X(NO_TYPES, "", "the file has no type table and none was given")                               \
    X(UNSUPPORTED, "", "valid, but not supported by this build")                                   \
    X(H_TRUNCATED, "H1", "shorter than its header states")                                         \
    X(H_MAGIC, "H2", "does not begin with KILN")                                                   \
    X(H_VERSION, "H3", "unsupported major version of the format")                                  \
    X(H_FLAGS, "H4", "unknown flag, alignment or kind")                                            \
    X(H_SIZE, "H5", "the payload size is invalid")                                                 \
    X(H_TRAILING, "H6", "bytes follow the payload")                                                \
    X(H_MISALIGNED, "H7", "the header is not at a multiple of the blob's alignment")               \
    X(H_HASH, "H8", "the hash does not match the bytes")                                           \
    X(H_GAP, "H9", "the gap between header and payload is not zero")                               \
    X(H_LAYOUT, "H10", "the layout hash does not match the expected type")                         \
    X(H_KIND, "H11", "a different kind of blob is expected here")                                  \
    X(V_ROOT, "V1", "the payload is too small for its root")                                       \
    X(V_BOUNDS, "V2", "an offset points outside the payload")                                      \
    X(V_MISALIGNED, "V3", "an offset points to a misaligned position")                             \
    X(V_EMPTY, "V4", "only one of offset and count is 0")                                          \
    X(V_STRING_END, "V5", "a string is not followed by a NUL")                                     \
    X(V_STRING_NUL, "V6", "a string contains a NUL")                                               \
    X(V_STRING_UTF8, "V7", "a string is not UTF-8")                                                \
    X(V_BOOL, "V8", "a bool is neither 0 nor 1")                                                   \
    X(V_ENUM, "V9", "an enum has a value that its type does not define")                           \
    X(V_FLAGS, "V10", "a flag set has a bit that its type does not define")                        \
    X(V_UNION_TAG, "V11", "a union's tag does not match any alternative")                          \
    X(V_UNION_VALUE, "V12", "a union's pointer does not match its tag")                            \
    X(V_MAP_ORDER, "V13", "map keys are not strictly ascending")                                   \
    X(V_MAP_KEY, "V14", "a map key is a NaN, a negative zero or a string longer than 1024 bytes")  \
    X(V_REF, "V15", "a reference is 0")                                                            \
    X(V_PADDING, "V16", "a padding byte is not zero")                                              \
    X(V_OVERLAP, "V17", "two objects overlap")                                                     \
    X(V_SHARE, "V18", "a shared object is used with a different type, count or alignment")         \
    X(V_DEPTH, "V19", "objects are nested more than 128 deep")                                     \
    X(C_CANONICAL, "C1", "flagged canonical, but not in canonical form")                           \
    X(T_KIND, "T1", "a type has an unknown kind, base or flag")                                    \
    X(T_NAME, "T2", "the name of a type, field or value is missing, malformed or used twice")      \
    X(T_INDEX, "T3", "a type refers to a type that does not exist or is not allowed there")        \
    X(T_ANONYMOUS, "T4",                                                                           \
      "an unnamed type is repeated, nested too deeply or used before it is listed")                \
    X(T_LAYOUT, "T5", "a size, alignment or offset does not follow the layout rules")              \
    X(T_RECURSION, "T6", "a type contains itself by value, or nests more than 16 types by value")  \
    X(T_VALUE, "T7", "an enum value, flag or union tag is out of range or given twice")            \
    X(T_KEY, "T8", "a map's key type cannot be a key")                                             \
    X(T_HASH, "T9", "a type's layout hash does not match its description")                         \
    X(T_DEFAULT, "T10", "a field's default is not a valid value")                                  \
    X(I_FILE_SIZE, "I1", "the file's size does not match its index")                               \
    X(I_IDS, "I2", "asset ids are zero or not strictly ascending")                                 \
    X(I_NAME, "I3",                                                                                \
      "an asset's name is not of the form Kind/id, or its id is not the hash of its name")         \
    X(I_DIRECTORY, "I4", "the lookup table does not match the ids")                                \
    X(I_NUMBER, "I5", "an entry refers to a type, member or dictionary that does not exist")       \
    X(I_PLACE, "I6", "a member is misaligned, out of order, overlapping or outside the file")      \
    X(I_COMPRESSION, "I7", "a member's compression or sizes are invalid")                          \
    X(I_GAP, "I8", "a byte between members is not zero")                                           \
    X(I_IMPORTS, "I9",                                                                             \
      "imports are not strictly ascending by id, or an id is not the hash of its name")            \
    X(I_EDGES, "I10",                                                                              \
      "the reference lists are not ascending or refer to assets that do not exist")                \
    X(I_MEMBER, "I11", "a member's header does not match the index")                               \
    X(I_CONTENT, "I12", "a member's 128-bit content hash does not match")                          \
    X(I_TYPES, "I13", "the index's types do not match the type table")                             \
    X(I_UNUSED, "I14", "a member is neither an asset, nor the type table, nor a dictionary")       \
    X(I_REFS, "I15", "a reference in a member is missing from the index's reference lists")        \
    X(DEAD, "", "the entity, object or asset does not exist or is no longer alive")                \
    X(LIMIT, "", "a limit set in the definition has been reached")                                 \
    X(UNREADABLE_KIND, "", "the older layout has a different kind of value here")                  \
    X(UNREADABLE_TYPE, "", "the older layout has a type with a different name here")               \
    X(UNREADABLE_NARROW, "", "an older number may not fit the newer type")                         \
    X(UNREADABLE_MISSING, "", "a field is new, and has neither a default nor an empty value")      \
    X(UNREADABLE_SHORTER, "", "a fixed array is shorter than in the older layout")                 \
    X(UNREADABLE_TWICE, "", "two members claim the same earlier name")                             \
    X(UNREADABLE_VALUE, "", "the newer type has no such value, flag or alternative")               \
    X(UNREADABLE_KEYS, "", "two keys of a map become equal")                                       \
    X(I_STORED, "I16", "a compressed member's 128-bit hash of stored bytes does not match")        \
    X(I_FRAME, "I17",                                                                              \
      "a compressed member is not a single zstd frame of the size given in the index")             \
    X(I_DICTIONARY, "I18", "a dictionary begins like a trained dictionary but is malformed")       \
    X(MISSING, "", "the target of a reference is in no mounted file")                              \
    X(NAME_CLASH, "", "two names have the same id")                                                \
    X(HELD, "", "the asset or file is still held")                                                 \
    X(PROTECTED, "", "the asset is protected against disposal")                                    \
    X(BORROWED, "", "the asset's bytes are borrowed")                                              \
    X(MAPPED, "", "the asset's bytes belong to a mounted file")                                    \
    X(FOREIGN, "", "the asset's bytes belong to the program")                                      \
    X(S_COMPONENT, "S1", "a scene's component is invalid or out of order")                         \
    X(S_ARCHETYPE, "S2", "a scene's archetype is invalid or out of order")                         \
    X(S_ENTITIES, "S3", "a scene's entity count or entity names are wrong")                        \
    X(S_REFERENCES, "S4", "a scene's assets, imports or parts are invalid or out of order")        \
    X(S_PARTS, "S5", "a scene's chunks or data do not belong to it")                               \
    X(S_ENTITY, "S6", "an entity word does not refer to an entity")                                \
    X(S_ASSET, "S7", "a reference word does not refer to an asset of the scene")                   \
    X(S_DATA, "S8", "a data word does not refer to a value in the scene's data")                   \
    X(S_UNUSED, "S9", "a byte of a chunk that no row uses is not zero")                            \
    X(S_TYPE, "S10", "a component does not match its type")                                        \
    X(I_IMPORT_UNUSED, "I19", "an import is an asset of the file, or no edge leads to it")         \
    X(I_TYPE_UNUSED, "I20", "the index lists a type that no asset has")                            \
    X(I_EDGE_UNUSED, "I21", "an edge leads to an asset that the member does not refer to")         \
    X(L_TYPE_SIZE, "L2", "a value of a type has more than 2147483647 bytes")                       \
    X(L_UNFOLDED, "L3",                                                                            \
      "a type table unfolds to more than 1048576 bytes plus 64 for each byte of its payload")      \
    X(L_ROW, "L4", "one row takes more than 16384 bytes, the size of a chunk")                     \
    X(L_ENTITIES, "L5", "a scene has more than 134217728 entities")                                \
    X(L_TEXT, "L6", "a name in a scene has more than 1024 bytes")                                  \
    X(L_ENTRIES, "L7", "a list of the index has more than 2147483647 entries")                     \
    X(NO_ROOM, "", "the result does not fit in the memory provided")                               \
    X(K_NAME, "K1", "a cluster plan is not named kiln.Clusters/plan")                              \
    X(K_LISTS, "K2", "the lists of a cluster plan do not fit its number of roots")                 \
    X(K_ROOT, "K3", "a cluster's root does not exist or is out of order")                          \
    X(K_MEMBER, "K4",                                                                              \
      "a cluster's member does not exist, is out of order or already belongs to a cluster")        \
    X(K_MUTABLE, "K5",                                                                             \
      "a cluster's mutable does not exist, is out of order or belongs to the cluster")             \
    X(K_REFERENCE, "K6",                                                                           \
      "a cluster's reference does not exist, is out of order or is the cluster itself")            \
    X(R_ORDER, "R1", "redirects are not strictly ascending by id")                                 \
    X(R_NAME, "R2",                                                                                \
      "a redirect's id is not the hash of its name, or a name is malformed or of another kind")    \
    X(R_CHAIN, "R3", "a redirect leads to an earlier name of the same file")                       \
    X(R_ASSET, "R4", "a redirected id is the id of an asset of the file")                          \
    X(REDIRECT_CYCLE, "",                                                                          \
      "redirects of several files form a cycle, or a chain of more than 64 steps")                 \
    X(OVERRUN, "", "events were dropped before they were read")                                    \
    X(LATE_STORE, "", "a component was written after the write access to it had ended")            \
    X(I_PAYLOADS, "I22", "payload members are not last, or not strictly ascending by content")     \
    X(P_NAME, "P1", "a payload's name does not consist of kiln.Payload/ and its content hash")     \
    X(P_MEMBER, "P2", "a payload does not match a payload member of the file")                     \
    X(P_FRAMES, "P3", "the frames of a payload do not fit its size or its member")                 \
    X(P_HASH, "P4", "the hash of a payload's frame does not match")                                \
    X(CHANGED, "", "the data of a payload changed while they were read")

typedef enum kiln_status {
#define KILN_STATUS_ENUM(name, rule, text) KILN_##name,
    KILN_STATUS_LIST(KILN_STATUS_ENUM)
#undef KILN_STATUS_ENUM
        KILN_STATUS_COUNT
} kiln_status;

/* Longer paths are shortened in the middle, with "..." in place of the omitted part. */
#define KILN_PATH_SIZE 256

/* What went wrong, and where. Functions write it only when they fail. kiln_error_format turns it
 * into a message. */
typedef struct kiln_error {
    kiln_status status;
    /* errno of the system call that failed; 0 if none did. Set only together with KILN_IO. */
    int system_error;
    /* In bytes, from the beginning of the bytes that were passed to the call, such as a blob's
     * header or a file's first byte. */
    uint64_t offset;
    /* The path from the root to the value, `items[3].name`; or what the function's comment
     * documents, such as the path of the file for kiln_file_open. NUL-terminated; empty if there is
     * none. The byte 0x7f and bytes below 0x20 are shown as `\xNN` (inside the quotes of a path as
     * `\u00NN`, see <kiln/path.h>). */
    char path[KILN_PATH_SIZE];
} kiln_error;

/* A buffer of this size is large enough for every message of kiln_error_format. */
#define KILN_ERROR_TEXT_SIZE 1024

/* Returns one sentence without a full stop; never NULL, even for numbers that are not statuses. */
const char *kiln_status_text(kiln_status status);
/* Returns the name without its prefix, as in "H_MAGIC" for KILN_H_MAGIC; never NULL. */
const char *kiln_status_name(kiln_status status);
/* Returns the number of the rule in FORMAT.md, as in "V7"; "" if the status does not belong to a
 * rule. Never NULL. */
const char *kiln_status_rule(kiln_status status);
/* Returns the short identifier of the status in messages: its rule, or its name if it has no rule.
 * Never "". */
const char *kiln_status_word(kiln_status status);
/* Whether the status reports that a limit of the format is exceeded: rules L1 to L7. */
bool kiln_status_is_limit(kiln_status status);

/* Formats the error as one line without a full stop: path, reason, rule.
 *
 *     missing.kiln: No such file or directory
 *     items[3].name: a string is not UTF-8 (rule V7, offset 96)
 *
 * For a failed system call the reason is the C library's text for `system_error`, otherwise
 * kiln_status_text. An empty path and an offset of 0 are omitted. As with snprintf, the output is
 * truncated to `size` bytes including its NUL, and `text` may be NULL if `size` is 0. Returns the
 * length of the whole message. `error` must have been filled by a failed call. Any thread. */
size_t kiln_error_format(const kiln_error *error, char *text, size_t size);

/* Fills `reterr` (may be NULL) and returns `status`, so that `return kiln_fail(...)` is all that a
 * failing function needs. `path` may be NULL; a long path is shortened in the middle.
 * `system_error` becomes 0. Any thread. */
kiln_status kiln_fail(kiln_error *reterr, kiln_status status, uint64_t offset, const char *path);
/* Like kiln_fail, but for a failed system call: the status is KILN_IO, and `system_error` is its
 * errno. */
kiln_status kiln_fail_system(kiln_error *reterr, int system_error, const char *path);

#ifdef __cplusplus
}
#endif

#endif
