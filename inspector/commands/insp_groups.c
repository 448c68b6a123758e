/* Tarjan's algorithm, with a stack of its own instead of recursion, because a chain of references
 * can be as long as a file. */
#include "insp_groups.h"

#include "insp_memory.h"

typedef struct search {
    const insp_graph *graph;
    insp_groups *groups;
    uint32_t *visit;  /* by node: when it was visited, from 1; 0: not yet */
    uint32_t *lowest; /* by node: the first visited node on the stack that it reaches */
    uint32_t *next;   /* by node: the next edge */
    uint32_t *path;   /* the nodes that are being visited */
    uint32_t *stack;  /* visited nodes without a group */
    uint32_t visits, path_count, stack_count;
} search;

static void enter(search *s, uint32_t node)
{
    s->visit[node] = s->lowest[node] = ++s->visits;
    s->next[node] = s->graph->starts[node];
    s->path[s->path_count++] = node;
    s->stack[s->stack_count++] = node;
}

static void lower(search *s, uint32_t node, uint32_t visit)
{
    if (visit < s->lowest[node])
        s->lowest[node] = visit;
}

/* All edges of the last node of the path have been followed. */
static void leave(search *s)
{
    uint32_t node = s->path[--s->path_count], member;
    if (s->path_count)
        lower(s, s->path[s->path_count - 1], s->lowest[node]);
    if (s->lowest[node] != s->visit[node])
        return;
    do {
        member = s->stack[--s->stack_count];
        s->groups->group[member] = s->groups->count;
        s->groups->size[s->groups->count]++;
    } while (member != node);
    s->groups->count++;
}

static void visit_from(search *s, uint32_t start)
{
    enter(s, start);
    while (s->path_count) {
        uint32_t node = s->path[s->path_count - 1], target;
        if (s->next[node] == s->graph->starts[node + 1]) {
            leave(s);
            continue;
        }
        target = s->graph->targets[s->next[node]++];
        if (!s->visit[target])
            enter(s, target);
        else if (s->groups->group[target] == INSP_NODE_NONE)
            lower(s, node, s->visit[target]);
    }
}

bool insp_groups_init(insp_groups *groups, const insp_graph *graph)
{
    uint32_t *memory = insp_alloc_array((size_t)graph->count * 5, sizeof *memory), i;
    search s = {.graph = graph, .groups = groups};
    groups->count = 0;
    groups->group = insp_alloc_array(graph->count, sizeof *groups->group);
    groups->size = insp_alloc_array(graph->count, sizeof *groups->size);
    if (memory && groups->group && groups->size) {
        s.visit = memory;
        s.lowest = s.visit + graph->count;
        s.next = s.lowest + graph->count;
        s.path = s.next + graph->count;
        s.stack = s.path + graph->count;
        for (i = 0; i < graph->count; i++)
            groups->group[i] = INSP_NODE_NONE;
        for (i = 0; i < graph->count; i++)
            if (!s.visit[i])
                visit_from(&s, i);
    }
    insp_free(memory);
    return s.visit != NULL;
}

void insp_groups_fini(insp_groups *groups)
{
    insp_free(groups->group);
    insp_free(groups->size);
    *groups = (insp_groups){NULL, NULL, 0};
}
