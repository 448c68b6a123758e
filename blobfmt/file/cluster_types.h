/* The type kiln.Clusters (FORMAT.md section 15), and kiln_types_with_clusters, which adds it to a
 * list of types. */
#ifndef KILN_CLUSTER_TYPES_H
#define KILN_CLUSTER_TYPES_H

#include <kiln/cluster_plan.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Creates a list with kiln.Clusters alone. Free it with kiln_types_destroy. NO_MEMORY. */
kiln_status kiln_cluster_types_create(const kiln_allocator *allocator, kiln_types **ret_types,
                                      kiln_error *reterr);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
