/* Finds out which columns and child tables the values of a type need. */
#ifndef INSP_TABLES_PLAN_H
#define INSP_TABLES_PLAN_H

#include "insp_tables.h"

/* Plans the columns and child tables of all new roots. Returns false if memory runs out. */
bool insp_tables_plan(insp_tables *tables);

#endif
