/* Evidence that all positions with the same key share: the kind that their values refer to, and
 * their words. This evidence decides the types of positions with few values. */
#ifndef BAKE_INFER_EVIDENCE_H
#define BAKE_INFER_EVIDENCE_H

#include "infer_ids.h"

#define INFER_WORD_SETS_MAX 16u
/* Maximum number of names of an inferred enum. */
#define INFER_ENUM_MAX 200u

struct infer_forms;

typedef struct infer_usage {
    uint32_t kind; /* the kind that the values refer to; or INFER_KIND_NONE */
    uint32_t ids;  /* maximum number of distinct ids at a position */
    struct infer_words {
        infer_texts texts;
        const char *type; /* the enum for these words; NULL: not decided */
    } * words;            /* disjoint sets */
    uint32_t word_count;
} infer_usage;

/* Collects the evidence from all shapes. If anything but inheritance refers to abstract assets of a
 * kind, all of them become normal assets. Returns false if memory runs out. */
bool bake_infer_evidence_gather(struct infer_forms *forms, infer_shape *const *roots,
                                size_t root_count);
/* Returns the evidence for a key, or NULL. */
infer_usage *bake_infer_usage_find(const struct infer_forms *forms, const char *name,
                                   uint32_t length);
/* Returns the set that contains any of these words, or NULL. */
struct infer_words *bake_infer_usage_words(const infer_usage *usage, const infer_texts *texts);

/* Whether a string is unlikely to equal an id by chance: it is long enough and combines several
 * words, as in `BrassCog`. */
bool bake_infer_is_distinctive(const char *text, uint32_t length);

#endif
