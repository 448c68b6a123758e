/* The clusters of a plan as text. Long lists are abbreviated unless --all is given. */
#include "insp_clusters.h"
#include "insp_escape.h"

#include <inttypes.h>

enum { SHOWN_MAX = 12 };

static void put_name(insp_out *out, const insp_text *name, uint32_t number)
{
    if (name)
        insp_put_escaped(out, name->data, name->length);
    else
        insp_putf(out, "number %" PRIu32 ", which is invalid", number);
}

static void begin_line(insp_out *out, const char *label)
{
    insp_put(out, "  ");
    insp_put_styled(out, INSP_STYLE_NAME, label);
    insp_put_to_column(out, INSP_CLUSTERS_LABEL);
}

void insp_clusters_put_list(insp_clusters *c, const char *label, const insp_cluster_list *list,
                            bool are_clusters)
{
    insp_out *out = &c->run->out;
    uint32_t shown = list->count, i;
    if (!c->run->options.all && shown > SHOWN_MAX)
        shown = SHOWN_MAX - 1;
    for (i = 0; i < shown && !out->error; i++) {
        uint32_t number = insp_cluster_list_at(list, i);
        begin_line(out, i ? "" : label);
        put_name(out,
                 are_clusters ? insp_clusters_name(c, number) : insp_plan_name(c->plan, number),
                 number);
        insp_put_char(out, '\n');
    }
    if (shown < list->count) {
        begin_line(out, "");
        insp_putf(out, ".. %" PRIu32 " more (--all)\n", list->count - shown);
    }
}

static void put_heading(insp_clusters *c, uint32_t cluster)
{
    insp_out *out = &c->run->out;
    uint32_t assets = insp_clusters_assets(c, cluster);
    uint64_t bytes = insp_clusters_bytes(c, cluster);
    insp_put_style(out, INSP_STYLE_ASSET);
    put_name(out, insp_clusters_name(c, cluster), insp_plan_root(c->plan, cluster));
    insp_put_style(out, INSP_STYLE_PLAIN);
    insp_put(out, ": ");
    insp_put_count(out, assets, 0);
    insp_put(out, assets == 1 ? " asset, " : " assets, ");
    insp_put_count(out, bytes, 0);
    insp_put(out, bytes == 1 ? " byte\n" : " bytes\n");
}

static void put_cluster(insp_clusters *c, uint32_t cluster)
{
    static const char *const labels[] = {"members", "mutables", "references"};
    insp_cluster_list list;
    int i;
    put_heading(c, cluster);
    for (i = INSP_PLAN_MEMBERS; i <= INSP_PLAN_REFERENCES; i++) {
        list = insp_clusters_part(c, (insp_plan_list)i, cluster);
        insp_clusters_put_list(c, labels[i], &list, i == INSP_PLAN_REFERENCES);
    }
    list = insp_clusters_dissolved(c, &cluster, 1);
    insp_clusters_put_list(c, "dissolves", &list, true);
}

void insp_clusters_text(insp_clusters *c)
{
    insp_cluster_list all = insp_clusters_all(c);
    uint32_t i;
    insp_out_count(&c->run->out, "clusters", all.count);
    for (i = 0; i < all.count && !c->run->out.error; i++) {
        insp_put(&c->run->out, i ? "\n" : "");
        put_cluster(c, insp_cluster_list_at(&all, i));
        insp_out_set_whole(&c->run->out, i + 1);
    }
}
