/* Unions. The alternative is the only key of a mapping, `{burn: {seconds: 3}}`, or the whole scalar
 * if it has no value. If the type allows it, the tag of the node or the value of a certain key can
 * name the alternative instead.
 *
 * Forms are tried in this order: tag, untagged, key, mapping. Each function handles the node or
 * leaves it to the next function. The tag or key that named the alternative is added to `taken`, so
 * that it is not read again as part of the value. */
#include "value_compose.h"

#include "bake_text.h"
#include "node_words.h"

#include <stdio.h>
#include <string.h>

value_chosen bake_value_choice(const bake_values *b, const bake_tree *tree, bake_node_id node,
                               uint32_t type)
{
    const bake_type_info *info = &b->schema->info[type];
    bake_node_kind kind = bake_node_kind_of(tree, node);
    value_chosen chosen = {NULL, BAKE_NODE_NONE, node, NULL, false};
    size_t length;
    if (info->forms & BAKE_BY_KEY)
        chosen.named = bake_node_find(tree, node, info->by, strlen(info->by));
    if (chosen.named != BAKE_NODE_NONE) {
        chosen.key = info->by;
    } else if (kind == BAKE_NODE_SCALAR) {
        chosen.named = node;
        chosen.value = BAKE_NODE_NONE;
    } else if (kind == BAKE_NODE_MAPPING && bake_node_count(tree, node) == 1) {
        bake_iterator it = bake_iterator_begin(tree, node);
        bake_iterator_next(&it);
        chosen.named = it.key;
        chosen.value = it.value;
    }
    if (chosen.named == BAKE_NODE_NONE ||
        bake_node_kind_of(tree, chosen.named) != BAKE_NODE_SCALAR ||
        bake_node_is_null(tree, chosen.named))
        return chosen;
    const char *text = bake_node_text(tree, chosen.named, &length);
    chosen.member = bake_schema_member(b->schema, type, text, length, &chosen.was);
    return chosen;
}

/* Finds an alternative by name. Returns NULL after a report. `node` contains `text`. */
static const kiln_member *find_alternative(bake_values *b, bake_node_id node, const char *text,
                                           size_t length, uint32_t type, const value_step *step)
{
    char quote[VALUE_QUOTE_SIZE];
    bool was;
    const kiln_member *member = bake_schema_member(b->schema, type, text, length, &was);
    if (member) {
        if (was || (member->flags & KILN_MEMBER_DEPRECATED))
            bake_value_warn_member(b, node, member, was, step);
        return member;
    }
    bake_value_report(b, BAKE_ERROR, value_mark(b, node), "union", step, "%s has no alternative %s",
                      value_type(b, type)->name, bake_value_quote(quote, text, length));
    bake_value_hint_members(b, type, text, length);
    return NULL;
}

/* Bakes the alternative with the value at `node`. A tagged null, `!type:burn`, is a struct with
 * only defaults. */
static void choose(bake_values *b, bake_node_id node, const kiln_member *member, void *dst,
                   const value_step *step)
{
    value_step inner = {step, STEP_NAME, member->name, strlen(member->name), 0};
    uint32_t tag = (uint32_t)member->value;
    if (member->type == KILN_TYPE_NONE) {
        kiln_builder_choose(b->builder, dst, tag, 0, 1);
        return;
    }
    const kiln_type *of = value_type(b, member->type);
    if (!value_enter(b, node, &inner))
        return;
    void *value = kiln_builder_choose(b->builder, dst, tag, of->size, of->align);
    uint32_t written = value_unwrapped(b, member->type);
    if (!value)
        value_stop(b);
    else if (bake_value_tag_is_taken(b, node) && bake_value_is_null(b, node) &&
             value_type(b, written)->kind == KILN_KIND_STRUCT)
        bake_value_fill_defaults(b, node, written, value, &inner);
    else
        bake_value_any(b, node, member->type, NULL, value, &inner);
    value_leave(b);
}

/* Reports a value for an alternative that takes none. */
static void report_superfluous(bake_values *b, bake_node_id node, const kiln_member *member,
                               const value_step *step)
{
    value_step inner = {step, STEP_NAME, member->name, strlen(member->name), 0};
    bake_value_report(b, BAKE_ERROR, value_mark(b, node), "union", &inner,
                      "the alternative \"%s\" takes no value", member->name);
}

/* Bakes `!type:burn {seconds: 3}`. Returns false for a node without such a tag. A core tag such as
 * `!!map` only counts if it names an alternative; otherwise it describes the value. */
static bool by_tag(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                   const value_step *step)
{
    const bake_type_info *info = &b->schema->info[type];
    const char *tag = bake_node_tag(b->tree, node);
    size_t prefix = strlen(info->by);
    char cut[VALUE_QUOTE_SIZE];
    bool was;
    if (!tag || bake_value_tag_is_taken(b, node) ||
        (bake_core_tag(tag) &&
         (strncmp(tag, info->by, prefix) != 0 ||
          !bake_schema_member(b->schema, type, tag + prefix, strlen(tag) - prefix, &was))))
        return false;
    if (strncmp(tag, info->by, prefix) != 0) {
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "tag", step, "unknown tag %s for %s",
                          bake_value_cut(cut, tag, strlen(tag)), value_type(b, type)->name);
        bake_hint(b->report.to, "write the tag as `%sNAME`, with the name of an alternative",
                  info->by);
        return true;
    }
    const kiln_member *member =
        find_alternative(b, node, tag + prefix, strlen(tag) - prefix, type, step);
    if (!member)
        return true;
    value_taken taken = {b->taken, b->tree, node, NULL};
    b->taken = &taken;
    if (member->type == KILN_TYPE_NONE && !bake_value_is_null(b, node))
        report_superfluous(b, node, member, step);
    choose(b, node, member, dst, step);
    b->taken = taken.up;
    return true;
}

/* Bakes `{type: burn, seconds: 3}`. Returns false for a node without that key. */
static bool by_key(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                   const value_step *step)
{
    const char *key = b->schema->info[type].by;
    bake_node_id name = bake_node_find(b->tree, node, key, strlen(key));
    size_t length;
    if (name == BAKE_NODE_NONE || !bake_value_check_tag(b, node, type, step))
        return name != BAKE_NODE_NONE;
    value_step inner = {step, STEP_NAME, key, strlen(key), 0};
    if (bake_node_kind_of(b->tree, name) != BAKE_NODE_SCALAR || bake_node_is_null(b->tree, name)) {
        if (!bake_node_is_placeholder(b->tree, name))
            bake_value_report(b, BAKE_ERROR, value_mark(b, name), "union", &inner,
                              "expected the name of an alternative of %s",
                              value_type(b, type)->name);
        return true;
    }
    const char *text = bake_node_text(b->tree, name, &length);
    if (!bake_value_check_tag_of(b, name, KILN_KIND_ENUM, value_type(b, type)->name, &inner))
        return true;
    const kiln_member *member = find_alternative(b, name, text, length, type, &inner);
    if (!member)
        return true;
    for (bake_iterator it = bake_iterator_begin(b->tree, node);
         member->type == KILN_TYPE_NONE && bake_iterator_next(&it);)
        if (it.value != name)
            report_superfluous(b, it.key, member, step);
    value_taken taken = {b->taken, b->tree, node, key};
    b->taken = &taken;
    choose(b, node, member, dst, step);
    b->taken = taken.up;
    return true;
}

/* Reports a mapping with more than one key, at the second one. */
static void report_keys(bake_values *b, bake_node_id node, uint32_t type, const value_step *step)
{
    char quotes[2][VALUE_QUOTE_SIZE], more[32] = "";
    uint32_t count = bake_node_count(b->tree, node);
    bake_iterator it = bake_iterator_begin(b->tree, node);
    for (int i = 0; i < 2 && bake_iterator_next(&it); i++) {
        size_t length;
        const char *text = bake_node_text(b->tree, it.key, &length);
        bake_value_quote(quotes[i], text, length);
    }
    if (count > 2)
        snprintf(more, sizeof more, " and %u more", count - 2);
    bake_value_report(b, BAKE_ERROR, value_mark(b, it.key), "union", step,
                      "a value of %s has one alternative, but this one has %s%s %s%s",
                      value_type(b, type)->name, quotes[0], count > 2 ? "," : " and", quotes[1],
                      more);
}

static void report_shape(bake_values *b, bake_node_id node, uint32_t type, const value_step *step)
{
    const bake_type_info *info = &b->schema->info[type];
    if (!(info->forms & BAKE_BY_KEY) && bake_node_kind_of(b->tree, node) == BAKE_NODE_MAPPING &&
        bake_node_count(b->tree, node) > 1)
        report_keys(b, node, type, step);
    else
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "union", step,
                          "a value of %s must be a mapping with one key, the alternative",
                          value_type(b, type)->name);
    if (info->forms & BAKE_BY_KEY)
        bake_hint(b->report.to, "or write a mapping whose key `%s` names the alternative",
                  info->by);
    if (info->forms & BAKE_BY_TAG)
        bake_hint(b->report.to,
                  "or write the value alone, with the alternative in its tag `%sNAME`", info->by);
}

/* Bakes an untagged value, for which the type has a default alternative. Returns false for null and
 * for nodes in the usual form: a mapping with an alternative as its only key, or the name of an
 * alternative without a value. */
static bool untagged(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                     const value_step *step)
{
    bake_node_kind kind = bake_node_kind_of(b->tree, node);
    bake_node_id key = kind == BAKE_NODE_SCALAR ? node : BAKE_NODE_NONE;
    size_t length;
    bool was;
    if (bake_value_is_null(b, node) || bake_node_is_placeholder(b->tree, node))
        return false;
    if (kind == BAKE_NODE_MAPPING && bake_node_count(b->tree, node) == 1) {
        bake_iterator it = bake_iterator_begin(b->tree, node);
        bake_iterator_next(&it);
        key = it.key;
    }
    if (key != BAKE_NODE_NONE) {
        const char *text = bake_node_text(b->tree, key, &length);
        const kiln_member *named = bake_schema_member(b->schema, type, text, length, &was);
        if (named && (kind != BAKE_NODE_SCALAR || named->type == KILN_TYPE_NONE))
            return false;
    }
    choose(b, node, &value_type(b, type)->members[b->schema->info[type].short_field], dst, step);
    return true;
}

void bake_value_union(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                      const value_step *step)
{
    uint32_t forms = b->schema->info[type].forms;
    bake_node_kind kind = bake_node_kind_of(b->tree, node);
    bake_node_id key = node, value = BAKE_NODE_NONE;
    size_t length;
    if ((forms & BAKE_BY_TAG) && by_tag(b, node, type, dst, step))
        return;
    if ((forms & BAKE_UNTAGGED) && untagged(b, node, type, dst, step))
        return;
    if ((forms & BAKE_BY_KEY) && by_key(b, node, type, dst, step))
        return;
    if (!bake_value_check_tag(b, node, type, step) || bake_value_is_null(b, node))
        return;
    if (kind == BAKE_NODE_SEQUENCE ||
        (kind == BAKE_NODE_MAPPING && bake_node_count(b->tree, node) != 1)) {
        report_shape(b, node, type, step);
        return;
    }
    if (kind == BAKE_NODE_MAPPING) {
        bake_iterator it = bake_iterator_begin(b->tree, node);
        bake_iterator_next(&it);
        key = it.key;
        value = it.value;
    }
    const char *text = bake_node_text(b->tree, key, &length);
    const kiln_member *member = find_alternative(b, key, text, length, type, step);
    if (!member && kind == BAKE_NODE_MAPPING && (forms & BAKE_BY_KEY))
        bake_hint(b->report.to,
                  "or name the alternative with the key `%s`, next to the keys of its value",
                  b->schema->info[type].by);
    if (!member)
        return;
    if (member->type == KILN_TYPE_NONE && value != BAKE_NODE_NONE && !bake_value_is_null(b, value))
        report_superfluous(b, value, member, step);
    if (value == BAKE_NODE_NONE && member->type != KILN_TYPE_NONE)
        bake_value_report(b, BAKE_ERROR, value_mark(b, key), "union", step,
                          "the alternative \"%s\" needs a value", member->name);
    else
        choose(b, value, member, dst, step);
}
