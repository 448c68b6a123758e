/* The output of the `diff` command, as text or JSON. The other parts: insp_diff_value.c,
 * insp_diff_text.c, insp_diff_json.c. */
#ifndef INSP_DIFF_H
#define INSP_DIFF_H

#include "insp_compare.h"
#include "insp_run.h"

/* Numbers of changes. */
typedef struct insp_diff_counts {
    uint64_t set, added, removed;
} insp_diff_counts;

typedef struct insp_diff insp_diff;

/* An output format. */
typedef struct insp_diff_format {
    void (*begin)(insp_diff *d);
    void (*change)(insp_diff *d, const insp_change *change);
    void (*stat)(insp_diff *d); /* with --stat: the changes of the values of an asset */
    void (*end)(insp_diff *d);
} insp_diff_format;

extern const insp_diff_format insp_diff_text, insp_diff_json;

struct insp_diff {
    insp_run *run;
    const insp_file *files[INSP_SIDES];
    const insp_diff_format *format;
    insp_format value_format;   /* JSON on one line */
    insp_out *text[INSP_SIDES]; /* for values that are shortened */
    insp_path path;
    bool no_memory, has_changes;
    bool has_items;        /* JSON: the list is not empty */
    bool asset_is_counted; /* `asset`, in `assets` */
    uint64_t left;         /* steps for printing values */
    insp_diff_counts assets, values;
    uint64_t renamed;
    const insp_asset *asset[INSP_SIDES]; /* whose values changed last */
    insp_diff_counts of_asset;           /* of its values */
};

/* Returns KILN_OK or KILN_NO_MEMORY; call insp_diff_fini in both cases. */
kiln_status insp_diff_init(insp_diff *d, insp_run *run, const insp_file *before,
                           const insp_file *after);
void insp_diff_fini(insp_diff *d);

/* Counts a change and prints it, or its number with --stat. */
void insp_diff_add(void *ctx, const insp_change *change);
/* Ends the output. */
void insp_diff_end(insp_diff *d);

/* Prints the value of one side of a change. */
void insp_diff_value(insp_diff *d, insp_out *out, const insp_change *change, int side);
/* Sets `path` to that of the change in one file. */
void insp_diff_path(insp_diff *d, const insp_change *change, int side);

#endif
