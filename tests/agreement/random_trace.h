/* The trace that every reader must produce for a random value. */
#ifndef AGREEMENT_RANDOM_TRACE_H
#define AGREEMENT_RANDOM_TRACE_H

#include "random_schema.h"
#include "value_trace.h"

void trace_datum(value_trace *trace, const random_datum *datum);

#endif
