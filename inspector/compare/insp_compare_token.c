/* Hashes a value, so that equal elements of two lists are found without comparing all pairs.
 *
 * A collision only makes an alignment worse: aligned elements are compared afterwards. Floats do
 * not count if there is a tolerance. */
#include "insp_comparing.h"

#include "hash.h"

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_of_text(const char *text, size_t length)
{
    return kiln_hash64(text, length, 0);
}

static uint64_t token_of_scalar(insp_comparing *c, const kiln_value *value)
{
    const kiln_member *member = kiln_value_member(value);
    const char *text = "";
    uint32_t length = 0;
    double number;
    uint64_t bits;
    switch (value->of->kind) {
    case KILN_KIND_STRING:
    case KILN_KIND_BYTES:
        kiln_value_text(value, &text, &length);
        insp_compare_spend(c, length / INSP_TEXT_UNIT);
        return hash_of_text(text, length);
    case KILN_KIND_F32:
    case KILN_KIND_F64:
        if (c->def->tolerance > 0)
            return 1;
        number = kiln_value_float(value);
        memcpy(&bits, &number, sizeof bits);
        return mix(2, bits);
    default:
        return member ? hash_of_text(member->name, strlen(member->name))
                      : mix(3, kiln_value_uint(value));
    }
}

static uint64_t token_of_entity(const insp_comparing *c, const insp_seen *seen)
{
    const insp_entity *entity = &seen->entity;
    uint64_t hash = hash_of_text(entity->name.data, entity->name.length);
    hash = mix(hash, hash_of_text(entity->scene.data, entity->scene.length));
    /* The numbers of entities without names may differ. */
    (void)c;
    return hash;
}

static uint64_t token_of_parts(insp_comparing *c, const insp_seen *seen)
{
    uint64_t hash = mix(4, seen->count), parts = 0;
    uint32_t i;
    for (i = 0; i < seen->count && insp_compare_goes_on(c); i++) {
        insp_seen child;
        uint64_t name = 0;
        if (!insp_compare_child(c, seen, i, &child))
            continue;
        if (seen->shape == INSP_SHAPE_STRUCT) {
            const char *field = seen->value.of->members[i].name;
            name = hash_of_text(field, strlen(field));
        } else if (seen->shape == INSP_SHAPE_UNION) {
            const char *field = kiln_value_member(&seen->value)->name;
            name = hash_of_text(field, strlen(field));
        } else if (seen->shape == INSP_SHAPE_LIST) {
            name = i;
        } else if (seen->shape == INSP_SHAPE_MAP) {
            kiln_value key;
            if (kiln_value_key(&seen->value, i, &key) == KILN_OK)
                name = token_of_scalar(c, &key);
        }
        /* A sum, because the order of fields does not matter. */
        parts += mix(mix(5, name), insp_compare_token(c, &child));
    }
    return mix(hash, parts);
}

uint64_t insp_compare_token(insp_comparing *c, const insp_seen *seen)
{
    if (!insp_compare_spend(c, 1))
        return 0;
    switch (seen->shape) {
    case INSP_SHAPE_NULL:
        return 6;
    case INSP_SHAPE_SCALAR:
        return token_of_scalar(c, &seen->value);
    case INSP_SHAPE_ENTITY:
        return token_of_entity(c, seen);
    case INSP_SHAPE_CHOICE:
        return mix(7, kiln_value_uint(&seen->value));
    case INSP_SHAPE_BROKEN:
        return mix(8, (uint64_t)seen->status);
    default:
        return token_of_parts(c, seen);
    }
}
