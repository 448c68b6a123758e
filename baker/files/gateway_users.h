/* Who uses the paths in the record of a gateway: for memos, which find out what a changed file
 * affects.
 *
 * With details, each use of a path is noted with the current user. Whoever keeps the result of such
 * a use for other users notes it again for each of them. */
#ifndef BAKE_GATEWAY_USERS_H
#define BAKE_GATEWAY_USERS_H

#include "gateway.h"

#include <stdint.h>

typedef enum bake_user_kind {
    BAKE_USER_RUN,     /* the whole run, or it is unknown who */
    BAKE_USER_INPUT,   /* reading an input */
    BAKE_USER_ASSET,   /* baking an asset */
    BAKE_USER_MESSAGES /* making messages at the end of the run */
} bake_user_kind;

typedef struct bake_user {
    bake_user_kind kind;
    uint32_t number; /* of the input or the asset; otherwise 0 */
} bake_user;

typedef struct bake_path_use {
    bake_user user;
    uint32_t path; /* below bake_gateway_use_count */
} bake_path_use;

/* Sets the user of all paths that are used from now on. At first, it is the run. */
void bake_gateway_set_user(bake_gateway *gateway, bake_user_kind kind, uint32_t number);

/* All uses so far, in their order; none without details. */
size_t bake_gateway_path_use_count(const bake_gateway *gateway);
bake_path_use bake_gateway_path_use(const bake_gateway *gateway, size_t i);
/* Whether uses are missing because memory ran out. */
bool bake_gateway_lacks_uses(const bake_gateway *gateway);

/* A range of these uses. */
typedef struct bake_use_range {
    size_t first, end;
} bake_use_range;

/* Notes that the current user uses the same paths. */
void bake_gateway_use_again(bake_gateway *gateway, bake_use_range range);

#endif
