/* Prints references: a line, a JSON object or an arrow of Graphviz for each.
 *
 *     Monster/orc.loot[0] -> Item/sword
 *     Monster/orc.theme -> Music/war (import)
 *
 * With several files, a line begins with the name of the file and a colon. */
#ifndef INSP_LINK_LIST_H
#define INSP_LINK_LIST_H

#include "insp_links.h"

typedef enum insp_link_format { INSP_LINK_TEXT, INSP_LINK_JSON, INSP_LINK_DOT } insp_link_format;

typedef struct insp_link_list {
    insp_run *run;
    const insp_links *links;
    insp_link_format format;
    size_t indent;  /* of lines in JSON */
    size_t margin;  /* of lines in text */
    uint32_t count; /* references printed since the list began */
    insp_path path;
} insp_link_list;

/* Reads the format from the options of the run. */
void insp_link_list_init(insp_link_list *list, insp_run *run, const insp_links *links);
void insp_link_list_fini(insp_link_list *list);

/* Begin and end a document. In JSON, it is an object whose first keys are `format`, and `name` with
 * an array, which the caller fills. */
void insp_link_list_begin(insp_link_list *list, const char *name);
void insp_link_list_end(insp_link_list *list, bool is_empty);

/* Prints a reference. Returns false if memory runs out. */
bool insp_link_list_put(insp_link_list *list, const insp_link *link);

/* The format of the run. */
insp_link_format insp_link_format_of(const insp_run *run);

#endif
