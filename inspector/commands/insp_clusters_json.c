/* The clusters of a plan as JSON. Programs read this format, so it is complete even without --all.
 */
#include "insp_clusters.h"
#include "insp_escape.h"

#include <inttypes.h>

static void put_name(insp_out *out, const insp_text *name, uint32_t number)
{
    if (name)
        insp_put_json_string(out, name->data, name->length);
    else
        insp_putf(out, "%" PRIu32, number);
}

void insp_clusters_put_names(insp_clusters *c, const insp_cluster_list *list, bool are_clusters)
{
    insp_out *out = &c->run->out;
    uint32_t i;
    insp_put_char(out, '[');
    for (i = 0; i < list->count && !out->error; i++) {
        uint32_t number = insp_cluster_list_at(list, i);
        insp_put(out, i ? ", " : "");
        put_name(out,
                 are_clusters ? insp_clusters_name(c, number) : insp_plan_name(c->plan, number),
                 number);
    }
    insp_put_char(out, ']');
}

static void put_cluster(insp_clusters *c, uint32_t cluster)
{
    static const char *const keys[] = {"members", "mutables", "references"};
    insp_out *out = &c->run->out;
    insp_cluster_list list;
    int i;
    insp_put(out, "\n    {\n      \"root\": ");
    put_name(out, insp_clusters_name(c, cluster), insp_plan_root(c->plan, cluster));
    insp_putf(out, ",\n      \"assets\": %" PRIu32 ", \"bytes\": %" PRIu64,
              insp_clusters_assets(c, cluster), insp_clusters_bytes(c, cluster));
    for (i = INSP_PLAN_MEMBERS; i <= INSP_PLAN_REFERENCES; i++) {
        list = insp_clusters_part(c, (insp_plan_list)i, cluster);
        insp_putf(out, ",\n      \"%s\": ", keys[i]);
        insp_clusters_put_names(c, &list, i == INSP_PLAN_REFERENCES);
    }
    list = insp_clusters_users(c, cluster);
    insp_put(out, ",\n      \"referenced_by\": ");
    insp_clusters_put_names(c, &list, true);
    list = insp_clusters_dissolved(c, &cluster, 1);
    insp_put(out, ",\n      \"dissolves\": ");
    insp_clusters_put_names(c, &list, true);
    insp_put(out, "\n    }");
}

void insp_clusters_json(insp_clusters *c)
{
    insp_out *out = &c->run->out;
    insp_cluster_list all = insp_clusters_all(c);
    uint32_t i;
    insp_out_count(out, "clusters", all.count);
    insp_put(out, "{\n  \"format\": 1");
    if (c->plan->error.status)
        insp_putf(out, ",\n  \"error\": \"%s\"", insp_rule(c->plan->error.status));
    insp_put(out, ",\n  \"clusters\": [");
    for (i = 0; i < all.count && !out->error; i++) {
        insp_put(out, i ? "," : "");
        put_cluster(c, insp_cluster_list_at(&all, i));
        insp_out_set_whole(out, i + 1);
    }
    insp_put(out, all.count ? "\n  ]\n}\n" : "]\n}\n");
}
