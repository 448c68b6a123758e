/* What `info` shows about a file. insp_info_json.c writes it as JSON. */
#ifndef INSP_INFO_H
#define INSP_INFO_H

#include "insp_finding.h"
#include "insp_run.h"

/* The total bytes and assets of one type. */
typedef struct insp_type_sum {
    uint64_t bytes;
    uint32_t assets, type_name;
} insp_type_sum;

/* A group of members. */
typedef struct insp_member_sum {
    uint64_t size, stored;
    uint32_t count;
} insp_member_sum;

typedef struct insp_info {
    bool has_index;       /* otherwise, the sums are zero */
    insp_type_sum *types; /* of the file's type names, the largest first */
    insp_member_sum all, used, compressed, payloads; /* `used` are the members of assets */
    uint32_t shared;                                 /* assets with the bytes of another one */
    uint32_t named;       /* types that the `type` command lists, without lists and maps */
    insp_finding finding; /* the first violation; `part` is NULL if there is none */
    bool is_untyped;      /* the values of a single blob were not checked */
} insp_info;

void insp_info_put_json(insp_run *run, const insp_file *file, const insp_info *info);

#endif
