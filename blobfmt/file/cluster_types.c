#include "cluster_types.h"

#include "type_join.h"
#include "type_list.h"

/* Indices in `descriptions`. */
enum { CLUSTER_U32, CLUSTER_U32_ARRAY, CLUSTER_ROOT, CLUSTER_TYPE_COUNT };

#define FIELD(field_name, about)                                                                   \
    {                                                                                              \
        .name = field_name, .type = CLUSTER_U32_ARRAY, .doc = about                                \
    }

static const kiln_member plan[] = {
    FIELD("roots", "Assets, ascending: the root of each cluster."),
    FIELD("member_starts", "Index of each cluster's first member; then the number of members."),
    FIELD("members", "Assets, ascending in each cluster."),
    FIELD("mutable_starts", "Index of each cluster's first mutable; then the number of mutables."),
    FIELD("mutables", "Edges, as in the index, ascending in each cluster."),
    FIELD("reference_starts",
          "Index of each cluster's first reference; then the number of references."),
    FIELD("references", "Indices in roots, ascending in each cluster."),
};

static const kiln_type descriptions[CLUSTER_TYPE_COUNT] = {
    [CLUSTER_U32] = {.kind = KILN_KIND_U32},
    [CLUSTER_U32_ARRAY] = {.kind = KILN_KIND_ARRAY, .element = CLUSTER_U32},
    [CLUSTER_ROOT] = {.kind = KILN_KIND_STRUCT,
                      .name = KILN_CLUSTERS_TYPE_NAME,
                      .members = plan,
                      .member_count = sizeof plan / sizeof *plan,
                      .flags = KILN_TYPE_ASSET,
                      .layout = KILN_CLUSTERS_LAYOUT},
};

kiln_status kiln_cluster_types_create(const kiln_allocator *allocator, kiln_types **ret_types,
                                      kiln_error *reterr)
{
    return kiln_types_create_known(allocator, descriptions, CLUSTER_TYPE_COUNT, ret_types, reterr);
}

kiln_status kiln_types_with_clusters(const kiln_types *types, const kiln_allocator *allocator,
                                     kiln_types **ret_types, kiln_error *reterr)
{
    static const type_addition addition = {
        .types = descriptions,
        .count = CLUSTER_TYPE_COUNT,
        .root = CLUSTER_ROOT,
        .layout = KILN_CLUSTERS_LAYOUT,
    };
    return kiln_types_join(types, &addition, allocator, ret_types, reterr);
}
