/* The state of printing values, and the table of functions that each output format fills.
 *
 * Objects can be shared, so a small file can describe a value of any size: the output's limit of
 * bytes ends the printing. Steps that print nothing are counted against `left`, which ends it
 * likewise. From then on `stopped` is set and nothing more is printed. */
#ifndef INSP_PRINTER_H
#define INSP_PRINTER_H

#include "insp_out.h"
#include "insp_scene.h"

/* This many bytes of text count as one value. */
enum { INSP_TEXT_UNIT = 16 };

typedef struct insp_format insp_format;
typedef struct insp_printer insp_printer;

/* Prints what the word `value` in a row of a scene refers to. KILN_OK, or the rule that it breaks;
 * then nothing was printed. */
typedef kiln_status insp_print_word(insp_printer *p, const kiln_value *value);

/* Which row is printed. */
typedef struct insp_words {
    insp_print_word *print; /* insp_scene_word.h has one; it is called through this pointer because
                               the values that it finds are printed like all others */
    const insp_scene *scene;
    const kiln_scene_component *component;
    const uint32_t *places; /* YAML: of the entities in the document; NULL: by their numbers */
} insp_words;

/* What the word of an entity refers to. */
typedef struct insp_entity {
    bool is_null;
    bool is_import;  /* an entity of another scene */
    uint32_t number; /* of an entity of this scene */
    insp_text name;  /* can be empty */
    insp_text scene; /* of an import */
} insp_entity;

/* The kind of the last text, for formats in which the next text depends on it. */
typedef enum insp_after {
    INSP_AFTER_START, /* nothing: the value stands alone */
    INSP_AFTER_NAME,
    INSP_AFTER_DASH
} insp_after;

struct insp_printer {
    insp_out *out;
    const insp_file *file; /* names for references; may be NULL */
    const insp_format *format;
    uint64_t left; /* steps until printing stops */
    bool all;      /* nothing is shortened */
    bool stopped;
    uint32_t broken;         /* number of places that break a rule */
    uint32_t depth;          /* of objects, the root included */
    const insp_words *words; /* NULL: the value is not in a row of a scene */
    /* For the formats only. */
    int indent;
    uint32_t flow; /* > 0: inside a list on one line */
    bool first;    /* nothing printed yet in the innermost list or object */
    insp_after after;
    insp_text kind; /* of the asset written last */
};

struct insp_format {
    const char *name;
    bool as_authored; /* newtypes are written as their value and `rest` maps in their struct; empty
                         fields are left out */
    bool elides;      /* long lists and texts are shortened unless `all` */
    void (*begin)(insp_printer *p); /* a document of assets */
    void (*end)(insp_printer *p);
    void (*asset)(insp_printer *p, const insp_asset *asset);
    void (*asset_end)(insp_printer *p);
    void (*alone)(insp_printer *p); /* instead of a document: one value follows */
    /* A struct, list, map, or a union with a value; `count` items follow. */
    void (*open)(insp_printer *p, const kiln_value *value, uint32_t count);
    void (*close)(insp_printer *p, const kiln_value *value);
    /* Before each item. */
    void (*field)(insp_printer *p, const kiln_member *member, const kiln_value *value);
    void (*element)(insp_printer *p, uint32_t number);
    void (*key)(insp_printer *p, const kiln_value *key);
    void (*elided)(insp_printer *p, uint32_t count);
    /* Values without items. */
    void (*scalar)(insp_printer *p, const kiln_value *value);
    void (*null)(insp_printer *p, const kiln_value *value);
    void (*choice)(insp_printer *p,
                   const kiln_member *member); /* a union's alternative without value */
    void (*broken)(insp_printer *p, const kiln_value *value, kiln_status status);
    /* For rows; NULL in a format that shows none. */
    void (*entity)(insp_printer *p, const insp_entity *entity);
};

void insp_printer_init(insp_printer *p, insp_out *out, const insp_file *file,
                       const insp_format *format);

/* Counts `amount` against `left`; false as soon as that is used up, or the output was cut or
 * failed. Inline, because every value calls it. */
static inline bool insp_spend(insp_printer *p, uint64_t amount)
{
    if (amount > p->left)
        insp_out_cut(p->out);
    p->stopped = p->stopped || p->out->error;
    if (p->stopped)
        return false;
    p->left -= amount;
    return true;
}

/* Whether `value` is an array whose elements are short enough for one line. */
bool insp_is_flow(const kiln_value *value);

/* Whether `value` is a struct of at most four numbers, as vectors and colours are. */
bool insp_is_vector(const kiln_value *value);

#endif
