/* Explains one asset: its cluster, or why it belongs to none.
 *
 * The reason follows from the references of the index and from the plan. The file does not contain
 * the schema's roles, so a role can only be named as a possible reason. */
#include "insp_clusters.h"
#include "insp_escape.h"
#include "insp_memory.h"

typedef struct explanation {
    const insp_asset *asset;
    uint32_t cluster; /* INSP_NO_CLUSTER: none */
    bool is_root;
    uint32_t *holders; /* clusters that have it as a mutable */
    uint32_t holder_count;
    uint64_t *users; /* assets that refer to it, as the keys of a list */
    uint32_t user_count;
    const char *reason;
} explanation;

static bool has_number(kiln_cluster_numbers part, uint32_t number)
{
    uint32_t i;
    for (i = 0; i < part.count; i++)
        if (part.numbers[i] == number)
            return true;
    return false;
}

static void find_holders(const insp_clusters *c, explanation *e)
{
    uint32_t i;
    for (i = 0; i < c->plan->count; i++)
        if (has_number(insp_plan_part(c->plan, INSP_PLAN_MUTABLES, i), e->asset->number))
            e->holders[e->holder_count++] = i;
}

/* Without a valid index, no edges are known. Assets are visited by name, so the list is sorted. */
static void find_users(const insp_clusters *c, explanation *e)
{
    const insp_file *file = c->plan->file;
    uint32_t i, k, count;
    for (i = 0; file->index && i < file->asset_count; i++) {
        uint32_t number = insp_asset_at(file, i)->number;
        const uint32_t *edges = kiln_index_edges(file->index, number, &count);
        kiln_cluster_numbers part = {edges, edges ? count : 0};
        for (k = 0; k < part.count && part.numbers[k] < e->asset->number; k++)
            ;
        if (k < part.count && part.numbers[k] == e->asset->number)
            e->users[e->user_count++] = number;
    }
}

/* Sets whether an asset outside all clusters refers to the explained asset, and how many clusters
 * do: 0, 1, or 2 for two or more. References of the asset to itself do not count. */
static uint32_t count_clusters(const insp_clusters *c, const explanation *e, bool *ret_free)
{
    uint32_t first = INSP_NO_CLUSTER, clusters = 0, i;
    *ret_free = false;
    for (i = 0; i < e->user_count; i++) {
        uint32_t number = (uint32_t)e->users[i], owner = insp_plan_owner(c->plan, number);
        if (number == e->asset->number)
            continue;
        *ret_free = *ret_free || owner == INSP_NO_CLUSTER;
        if (owner == INSP_NO_CLUSTER || (clusters && owner == first))
            continue;
        first = owner;
        clusters += clusters < 2;
    }
    return clusters;
}

static const char *reason_of(const insp_clusters *c, const explanation *e)
{
    bool has_free;
    uint32_t clusters = count_clusters(c, e, &has_free);
    if (e->is_root)
        return clusters > 1 ? "assets of several clusters refer to it, or its type is `root`"
               : has_free   ? "an asset outside all clusters refers to it, or its type is `root`"
                            : "its type is `root`, or it is a scene";
    if (e->cluster != INSP_NO_CLUSTER)
        return "all references to it lead through the root";
    if (e->asset == c->plan->asset)
        return "it is the plan";
    if (!c->plan->file->index)
        return "the index is broken, so its references are not known";
    if (clusters > 1)
        return "several clusters refer to it, and it has no members or its type is `never`";
    if (clusters && has_free)
        return "an asset outside all clusters also refers to it, and it has no members or its type "
               "is `never`";
    if (clusters)
        return "its type is `never`, or `root` without members";
    if (has_free)
        return "only assets outside all clusters refer to it";
    return "no other asset of the file refers to it, and its type is not `root` or it has no "
           "members";
}

/* The clusters that dissolve with the asset's own cluster if the asset is replaced or removed. */
static insp_cluster_list dissolved(insp_clusters *c, const explanation *e)
{
    uint32_t cluster = e->cluster;
    return insp_clusters_dissolved(c, &cluster, cluster != INSP_NO_CLUSTER);
}

static insp_cluster_list holders_of(insp_clusters *c, const explanation *e)
{
    insp_cluster_list list = {c->keys, 0};
    insp_cluster_list all = insp_clusters_all(c);
    uint32_t i, k = 0;
    /* `all` is sorted by name, so selecting the holders from it sorts them, too. */
    c->search++;
    for (i = 0; i < e->holder_count; i++)
        c->seen[e->holders[i]] = c->search;
    for (i = 0; i < all.count; i++)
        if (c->seen[insp_cluster_list_at(&all, i)] == c->search)
            c->keys[k++] = all.keys[i];
    list.count = k;
    return list;
}

/* ---- output ---- */

static void put_line(insp_clusters *c, const char *label, const insp_text *name, const char *more)
{
    insp_out *out = &c->run->out;
    insp_put(out, "  ");
    insp_put_styled(out, INSP_STYLE_NAME, label);
    insp_put_to_column(out, INSP_CLUSTERS_LABEL);
    if (name)
        insp_put_escaped(out, name->data, name->length);
    insp_put(out, more);
    insp_put_char(out, '\n');
}

static void print_text(insp_clusters *c, const explanation *e)
{
    insp_cluster_list list = {e->users, e->user_count};
    insp_out *out = &c->run->out;
    const insp_text *root =
        e->cluster == INSP_NO_CLUSTER ? NULL : insp_clusters_name(c, e->cluster);
    insp_put_style(out, INSP_STYLE_ASSET);
    insp_put_escaped(out, e->asset->name.data, e->asset->name.length);
    insp_put_style(out, INSP_STYLE_PLAIN);
    insp_put_char(out, '\n');
    put_line(c, "cluster", root, e->is_root ? " (root)" : root ? " (member)" : "none");
    put_line(c, "reason", NULL, e->reason);
    insp_clusters_put_list(c, "referenced by", &list, false);
    list = holders_of(c, e);
    insp_clusters_put_list(c, "mutable of", &list, true);
    list = dissolved(c, e);
    insp_clusters_put_list(c, "dissolves", &list, true);
}

static void print_json(insp_clusters *c, const explanation *e)
{
    insp_cluster_list list = {e->users, e->user_count};
    insp_out *out = &c->run->out;
    const insp_text *root =
        e->cluster == INSP_NO_CLUSTER ? NULL : insp_clusters_name(c, e->cluster);
    insp_put(out, "{\n  \"format\": 1,\n  \"name\": ");
    insp_put_json_string(out, e->asset->name.data, e->asset->name.length);
    insp_put(out, ",\n  \"cluster\": ");
    if (root)
        insp_put_json_string(out, root->data, root->length);
    else
        insp_put(out, "null");
    insp_putf(out, ",\n  \"role\": %s", e->is_root ? "\"root\"" : root ? "\"member\"" : "null");
    insp_putf(out, ",\n  \"reason\": \"%s\",\n  \"referenced_by\": ", e->reason);
    insp_clusters_put_names(c, &list, false);
    list = holders_of(c, e);
    insp_put(out, ",\n  \"mutable_of\": ");
    insp_clusters_put_names(c, &list, true);
    list = dissolved(c, e);
    insp_put(out, ",\n  \"dissolves\": ");
    insp_clusters_put_names(c, &list, true);
    insp_put(out, "\n}\n");
}

bool insp_clusters_asset(insp_clusters *c, const insp_asset *asset)
{
    explanation e = {.asset = asset};
    e.holders = insp_alloc_array(c->plan->count, sizeof *e.holders);
    e.users = insp_alloc_array(c->plan->file->asset_count, sizeof *e.users);
    if (!e.holders || !e.users) {
        insp_free(e.holders);
        insp_free(e.users);
        return false;
    }
    e.cluster = insp_plan_owner(c->plan, asset->number);
    e.is_root = e.cluster != INSP_NO_CLUSTER && insp_plan_root(c->plan, e.cluster) == asset->number;
    find_holders(c, &e);
    find_users(c, &e);
    e.reason = reason_of(c, &e);
    if (insp_wants_json(c->run))
        print_json(c, &e);
    else
        print_text(c, &e);
    insp_free(e.holders);
    insp_free(e.users);
    return true;
}
