/* The role of the assets of a type in clusters (SCHEMA.md, "Clusters"). */
#ifndef BAKE_CLUSTER_ROLE_H
#define BAKE_CLUSTER_ROLE_H

typedef enum bake_cluster_role {
    BAKE_CLUSTER_MEMBER, /* the default */
    BAKE_CLUSTER_ROOT,
    BAKE_CLUSTER_NEVER
} bake_cluster_role;

#endif
