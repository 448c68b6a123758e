/* Every rule of FORMAT.md section 9 over a whole file, going on after what is broken.
 *
 * Offsets in findings count from the file's first byte. Work is linear in the file. */
#ifndef INSP_CHECK_H
#define INSP_CHECK_H

#include "insp_file.h"

typedef struct insp_finding {
    kiln_error error;
    const char *part; /* "index", "type table", "member", "file", "blob" */
    uint32_t member;  /* as the file states it, so it may not exist; KILN_ASSET_NONE: none's */
    const insp_asset *asset; /* NULL: the first asset of the member, if there is one */
} insp_finding;

typedef struct insp_check {
    const insp_file *file;
    void (*on_finding)(void *ctx, const insp_file *file, const insp_finding *finding);
    void *ctx;
    bool skip_canonical; /* leaves out rule C1, on which no value depends */
    /* What came of it. */
    uint32_t findings;
    uint32_t untyped;          /* members whose values were not checked for want of types */
    uint32_t unchecked_scenes; /* whose rows were not: their chunks are in another file, or shared
                                  by very many */
} insp_check;

/* `check` has its first fields set and the others zero. KILN_OK when the check was made,
 * whatever it found; KILN_NO_MEMORY. */
kiln_status insp_check_file(insp_check *check);
/* A number that no member has is KILN_OK. */
kiln_status insp_check_member(insp_check *check, uint32_t member);
/* Enters what was found, but for KILN_OK and KILN_NO_MEMORY, which it gives back; the offset of
 * `error` counts from `base`. For the files that check. */
kiln_status insp_report(insp_check *check, const char *part, uint32_t member, kiln_status status,
                        const kiln_error *error, uint64_t base);
/* The same for one asset, whose member may not exist. */
kiln_status insp_report_asset(insp_check *check, const insp_asset *asset, kiln_status status,
                              const kiln_error *error, uint64_t base);
/* The rules of scenes alone, of all in the file (insp_scene_check.c). */
kiln_status insp_check_scenes(insp_check *check);

#endif
