/* What all positions of one name have in common: the kind whose ids their values are, and their
 * words. A position with few values is decided by the evidence of the others. */
#ifndef BAKE_INFER_EVIDENCE_H
#define BAKE_INFER_EVIDENCE_H

#include "infer_ids.h"

#define INFER_WORD_SETS_MAX 16u
/* The most names of an inferred enum. */
#define INFER_ENUM_MAX 200u

struct infer_forms;

typedef struct infer_usage {
    uint32_t kind; /* INFER_KIND_NONE: of no kind */
    uint32_t ids;  /* distinct ids at the position that has most */
    struct infer_words {
        infer_texts texts;
        const char *type; /* the enum with these words; NULL: not decided */
    } * words;            /* sets without common words */
    uint32_t word_count;
} infer_usage;

/* Reads all shapes. If there are references to abstract assets of a kind, these become assets.
 * False when memory ran out. */
bool bake_infer_evidence_gather(struct infer_forms *forms, infer_shape *const *roots,
                                size_t root_count);
/* The evidence for a name; NULL if there is none. */
infer_usage *bake_infer_usage_find(const struct infer_forms *forms, const char *name,
                                   uint32_t length);
/* The set that has some of these words; NULL if there is none. */
struct infer_words *bake_infer_usage_words(const infer_usage *usage, const infer_texts *texts);

/* Whether a text is unlikely to equal an id by chance: several words in one, and not short. */
bool bake_infer_is_telling(const char *text, uint32_t length);

#endif
