/* The state of printing values, and the function table that each output format implements.
 *
 * Objects can be shared, so a small file can describe an arbitrarily large value. Printing
 * therefore stops at the byte limit of the output, and at the step limit `left`, because some steps
 * print nothing. `stopped` is then set. */
#ifndef INSP_PRINTER_H
#define INSP_PRINTER_H

#include "insp_out.h"
#include "insp_path.h"
#include "insp_scene.h"

/* This many bytes of a string, or omitted fields or flag names, count as one step. */
enum { INSP_TEXT_UNIT = 16, INSP_MEMBER_UNIT = 4 };

typedef struct insp_format insp_format;
typedef struct insp_printer insp_printer;

/* Prints the target of the word `value` in a row of a scene. If the word breaks a rule, returns
 * that rule and prints nothing; otherwise returns KILN_OK. */
typedef kiln_status insp_print_word(insp_printer *p, const kiln_value *value);

/* The row that is being printed. */
typedef struct insp_words {
    insp_print_word *print; /* a pointer, because insp_scene_word.c itself uses the printer */
    const insp_scene *scene;
    const kiln_scene_component *component;
    const uint32_t *places; /* for YAML: positions in the document; NULL: use entity numbers */
} insp_words;

/* The target of an entity word. */
typedef struct insp_entity {
    bool is_null;
    bool is_import;  /* an entity of another scene */
    uint32_t number; /* number of an entity of this scene */
    insp_text name;  /* may be empty */
    insp_text scene; /* the scene of an import */
} insp_entity;

/* The kind of the last token, which determines what some formats write next. */
typedef enum insp_after {
    INSP_AFTER_START, /* no token: a single value is printed */
    INSP_AFTER_NAME,
    INSP_AFTER_DASH
} insp_after;

/* In the flat format, a struct, list, map or union whose items are being printed. */
typedef struct insp_level {
    size_t length;   /* of its path */
    bool is_newtype; /* its field adds no step to the path */
} insp_level;

struct insp_printer {
    insp_out *out;
    const insp_file *file; /* for names of references; may be NULL */
    const insp_format *format;
    uint64_t left; /* steps until printing stops */
    bool all;      /* do not shorten anything */
    bool stopped;
    uint32_t broken;         /* number of values that break a rule */
    uint32_t depth;          /* nesting of objects, including the root */
    const insp_words *words; /* NULL: the value is not in a row of a scene */
    /* Used only by the formats. */
    int indent;
    uint32_t flow; /* > 0: inside a list on one line */
    bool first;    /* the innermost list or object is still empty */
    insp_after after;
    insp_text kind; /* the kind of the last asset */
    bool one_line;  /* JSON without line feeds */
    insp_path path; /* of the value; `path.failed` if memory ran out */
    insp_level *levels;
    size_t level_count, level_capacity;
};

struct insp_format {
    const char *name;
    bool as_authored; /* like source YAML: inline newtypes and `rest` maps, omit empty fields */
    bool elides;      /* shorten long lists and strings unless `all` */
    void (*begin)(insp_printer *p); /* begins a document of assets */
    void (*end)(insp_printer *p);
    void (*asset)(insp_printer *p, const insp_asset *asset);
    void (*asset_end)(insp_printer *p);
    void (*alone)(insp_printer *p); /* instead of `begin`, for a single value */
    /* Open and close a struct, list, map, or a union with a value. `count` items follow. */
    void (*open)(insp_printer *p, const kiln_value *value, uint32_t count);
    void (*close)(insp_printer *p, const kiln_value *value);
    /* Called before each item. */
    void (*field)(insp_printer *p, const kiln_member *member, const kiln_value *value);
    void (*element)(insp_printer *p, uint32_t number);
    void (*key)(insp_printer *p, const kiln_value *key);
    void (*elided)(insp_printer *p, uint32_t count);
    /* Write a value without items. */
    void (*scalar)(insp_printer *p, const kiln_value *value);
    void (*null)(insp_printer *p, const kiln_value *value);
    void (*choice)(insp_printer *p,
                   const kiln_member *member); /* a union's alternative without value */
    void (*broken)(insp_printer *p, const kiln_value *value, kiln_status status);
    /* For rows of scenes; NULL in a format that cannot show them. */
    void (*entity)(insp_printer *p, const insp_entity *entity);
};

void insp_printer_init(insp_printer *p, insp_out *out, const insp_file *file,
                       const insp_format *format);
/* Frees the memory that only the flat format needs. */
void insp_printer_fini(insp_printer *p);

/* Subtracts `amount` from `left`. Returns false if `left` is used up, or the output was truncated
 * or failed. Inline, because it is called for every value. */
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

/* Whether `value` is an array whose elements are printed on one line. */
bool insp_is_flow(const kiln_value *value);

/* Whether `value` is a struct of at most four numbers, such as a vector or colour. */
bool insp_is_vector(const kiln_value *value);

#endif
