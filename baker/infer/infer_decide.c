/* Turns shapes into forms, which are type expressions. Forms are decided depth first. A shape that
 * is still pending is referred to by name, so recursive types terminate. */
#include "infer_form.h"
#include "infer_sort.h"

#include <inttypes.h>
#include <string.h>

/* Maximum nesting of unnamed types, with a margin below KILN_ANONYMOUS_DEPTH_MAX. */
enum { UNNAMED_MAX = 5 };

/* Returns a type name for a shape. */
static char *name_of(infer_forms *forms, const infer_shape *shape)
{
    return bake_infer_type_name(forms->store, shape->usage ? shape->usage : "Value",
                                shape->usage ? shape->usage_length : 5);
}

/* Makes the form usable inside a list or map: if it has attributes or nests too deeply, it becomes
 * a newtype. */
static bool make_plain(infer_forms *forms, infer_form *form, const infer_shape *shape,
                       const char *owner)
{
    if (!*form->attributes && form->unnamed < UNNAMED_MAX)
        return true;
    char *name = name_of(forms, shape);
    if (!name)
        return false;
    bake_infer_singular(name);
    return bake_infer_newtype(forms, form, name, owner);
}

static const char *join(infer_forms *forms, const char *a, const char *b, const char *c,
                        const char *d, const char *e)
{
    infer_writer w = {forms->store, NULL, 0, 0};
    bake_infer_write(&w, "%s%s%s%s%s", a, b, c, d, e);
    return bake_infer_written(&w);
}

/* Returns the type expression of an element or map value, with a `?` if it can be null. */
static const char *inner_type(infer_forms *forms, infer_shape *shape, const char *owner,
                              infer_form *ret_inner)
{
    const infer_form *form = bake_infer_decide(forms, shape, owner);
    if (!form)
        return NULL;
    *ret_inner = *form;
    if (!make_plain(forms, ret_inner, shape, owner))
        return NULL;
    bool optional = bake_infer_shape_of(shape)->nulls > 0 && !ret_inner->has_empty;
    ret_inner->unnamed = (uint8_t)(ret_inner->unnamed + optional);
    return optional ? join(forms, ret_inner->type, "?", "", "", "") : ret_inner->type;
}

/* Decides vectors and fixed arrays: lists of numbers, all of the same length. */
static bool decide_numbers(infer_forms *forms, const infer_shape *shape, infer_form *form)
{
    const infer_shape *element = bake_infer_shape_of(shape->element);
    uint32_t count = shape->list_min;
    infer_writer w = {forms->store, NULL, 0, 0};
    bool has_texts = shape->texts.count > 0;
    /* All lists must have the same length and contain only numbers. */
    if (!element || shape->list_min != shape->list_max || element->nulls || element->lists ||
        element->mappings || element->tagged || !(element->texts.all & INFER_NUMBER) ||
        shape->is_single || (has_texts && !(shape->texts.all & INFER_VECTOR)))
        return true;
    uint32_t some = element->texts.some | (shape->texts.some & INFER_DOUBLE);
    bool fractions = (some & INFER_FRACTION) || (shape->texts.some & INFER_FRACTIONS);
    const char *number = some & INFER_DOUBLE ? "f64" : "f32";
    /* Two to four numbers with fractions are almost always coordinates. Integers can be anything,
     * unless the same position also has strings such as `1,2`. */
    if (count >= 2 && count <= 4 && (fractions || has_texts)) {
        form->doubtful = shape->lists + shape->texts.count < 2;
        bake_infer_write(&w, "%u numbers, %" PRIu64 " times", count,
                         shape->lists + shape->texts.count);
        form->note = bake_infer_written(&w);
        form->depth = 1;
        form->is_list = true;
        form->type = bake_infer_vector_type(forms, count, number);
        return form->type != NULL;
    }
    /* 36 is a 6 by 6 matrix. With fewer than four lists, equal lengths can be a coincidence. */
    if (count < 2 || count > 36 || shape->lists < 4)
        return true;
    if (!fractions)
        number = bake_infer_integer(element->texts.highest, element->texts.lowest, shape->lists < 8,
                                    (some & INFER_PREFIXED) != 0);
    if (!number)
        return true;
    bake_infer_write(&w, "%s[%u]", number, count);
    form->type = bake_infer_written(&w);
    form->note = "all lists have this length";
    form->is_list = true;
    form->unnamed = 1;
    form->depth = 1;
    return true;
}

static bool decide_list(infer_forms *forms, infer_shape *shape, const char *owner, infer_form *form)
{
    infer_form inner;
    infer_writer w = {forms->store, NULL, 0, 0};
    if (!decide_numbers(forms, shape, form) ||
        (!form->type && !bake_infer_decide_set_list(forms, shape, owner, form)))
        return false;
    if (form->type)
        return true;
    form->has_empty = form->is_list = true;
    if (!shape->element) {
        form->type = "string[]";
        form->unnamed = 1;
        form->note = "always empty";
        form->doubtful = true;
        return true;
    }
    const char *type = inner_type(forms, shape->element, owner, &inner);
    if (!type)
        return false;
    const infer_shape *element = bake_infer_shape_of(shape->element);
    /* A single element without brackets is ambiguous if it can be null or a list, so wrap such
     * elements in a union with one alternative. */
    bool boxed = shape->is_single && (element->nulls || inner.is_list) && !element->tagged;
    if (boxed && !(type = bake_infer_box_type(forms, type, owner)))
        return false;
    form->type = join(forms, type, "[]", "", "", "");
    form->unnamed = (uint8_t)(boxed ? 1 : inner.unnamed + 1);
    form->attributes = shape->is_single ? ", single: true" : "";
    form->doubtful = inner.doubtful;
    if (shape->list_min == shape->list_max)
        bake_infer_write(&w, "always %u", shape->list_max);
    else
        bake_infer_write(&w, "%u..%u", shape->list_min, shape->list_max);
    if (shape->is_single)
        bake_infer_write(&w, ", or a single element");
    if (*inner.note)
        bake_infer_write(&w, "; each: %s", inner.note);
    form->note = bake_infer_written(&w);
    return true;
}

/* Decides the key type of a map: string unless all keys have a narrower type that is valid for
 * keys. */
static bool decide_keys(infer_forms *forms, const infer_shape *shape, const char *owner,
                        infer_form *form)
{
    const infer_texts *keys = &shape->keys;
    infer_writer w = {forms->store, NULL, 0, 0};
    memset(form, 0, sizeof *form);
    form->attributes = form->note = "";
    if ((keys->all & INFER_VECTOR) && keys->dimensions) {
        bake_infer_write(&w, "%s[%u]",
                         keys->some & INFER_DOUBLE      ? "f64"
                         : keys->some & INFER_FRACTIONS ? "f32"
                                                        : "i32",
                         keys->dimensions);
        form->type = bake_infer_written(&w);
        form->unnamed = 1;
        return true;
    }
    char *name = bake_infer_type_name(forms->store, shape->usage ? shape->usage : "Map",
                                      shape->usage ? shape->usage_length : 3);
    if (!name)
        return false;
    bake_infer_singular(name);
    const char *usage = join(forms, name, "Key", "", "", "");
    forms->is_item = false;
    if (!bake_infer_decide_texts(forms, keys, usage, (uint32_t)strlen(usage), owner, form))
        return false;
    static const char *const fit[] = {"bool", "i8",  "i16", "i32", "i64", "u8",
                                      "u16",  "u32", "u64", "f32", "f64", "string"};
    bool is_fit = strncmp(form->type, "ref<", 4) == 0 || form->depth == 0;
    for (size_t i = 0; i < sizeof fit / sizeof *fit; i++)
        is_fit = is_fit || strcmp(form->type, fit[i]) == 0;
    if (*form->attributes || !is_fit || form->unnamed > 1 || strcmp(form->type, "bytes") == 0 ||
        form->has_empty) {
        form->type = "string";
        form->attributes = "";
        form->unnamed = 0;
    }
    return true;
}

static bool decide_map(infer_forms *forms, infer_shape *shape, const char *owner, infer_form *form)
{
    infer_form key, inner;
    infer_writer w = {forms->store, NULL, 0, 0};
    if (!decide_keys(forms, shape, owner, &key))
        return false;
    const char *type = inner_type(forms, shape->rest, owner, &inner);
    if (!type)
        return false;
    form->type = join(forms, "map<", key.type, ", ", type, ">");
    form->unnamed = (uint8_t)((inner.unnamed > key.unnamed ? inner.unnamed : key.unnamed) + 1);
    form->has_empty = true;
    /* A single mapping can also be a record whose keys only look like data. */
    form->doubtful = inner.doubtful || shape->mappings == 1;
    bake_infer_write(&w, "%s%u keys in %" PRIu64 " mapping%s", shape->keys.many ? "more than " : "",
                     shape->keys.value_count, shape->mappings, shape->mappings == 1 ? "" : "s");
    if (strncmp(key.type, "ref<", 4) == 0)
        bake_infer_write(&w, "; %s", key.note);
    if (*inner.note)
        bake_infer_write(&w, "; each: %s", inner.note);
    form->note = bake_infer_written(&w);
    return true;
}

/* Decides a list or map. If the type contains itself, it becomes a newtype with the name that was
 * used inside it. */
static bool decide_holder(infer_forms *forms, infer_shape *shape, const char *owner,
                          infer_form *form)
{
    infer_writer w = {forms->store, NULL, 0, 0};
    shape->is_deciding = true;
    if (!(shape->lists ? decide_list : decide_map)(forms, shape, owner, form))
        return false;
    shape->is_deciding = false;
    if (!shape->form)
        return true;
    bake_infer_write(&w, "    wrap: {type: \"%s\"%s}\n", form->type, form->attributes);
    form->type = bake_infer_type_end(forms, shape->form->pending, bake_infer_written(&w),
                                     form->note, false, false);
    form->attributes = "";
    form->unnamed = 0;
    return form->type != NULL;
}

static bool decide_nothing(const infer_shape *shape, infer_form *form)
{
    form->type = shape->mappings ? "map<string, string>" : "string";
    form->has_empty = shape->mappings > 0;
    form->unnamed = shape->mappings ? 1 : 0;
    form->note = shape->mappings ? "always empty" : "always null";
    form->doubtful = true;
    return true;
}

static bool decide_any(infer_forms *forms, infer_shape *shape, const char *owner, infer_form *form)
{
    bool texts = shape->texts.count > 0, lists = shape->lists > 0;
    bool empty = shape->mappings && !shape->key && !shape->rest && shape->fields.count == 0;
    if (shape->tagged)
        return bake_infer_decide_tagged(forms, shape, owner, form);
    if (texts && lists && !shape->mappings) {
        if (!decide_numbers(forms, shape, form))
            return false;
        if (form->type)
            return true;
        /* These are not vectors in string form, so each value is a list or a single element. */
        if (!bake_infer_sort_single(forms->shapes, shape))
            return false;
        texts = false;
    }
    /* The position has values of different kinds, so one must be the short form of another. */
    if (texts + lists + (shape->mappings > 0) > 1)
        return bake_infer_decide_short(forms, shape, owner, form);
    if (lists)
        return decide_holder(forms, shape, owner, form);
    if (texts) {
        forms->is_item = shape->is_item;
        return bake_infer_decide_texts(forms, &shape->texts, shape->usage, shape->usage_length,
                                       owner, form);
    }
    if (!shape->mappings || empty)
        return decide_nothing(shape, form);
    if (shape->key)
        return bake_infer_decide_choice(forms, shape, owner, form);
    if (!bake_infer_decide_set_mapping(forms, shape, owner, form))
        return false;
    if (form->type)
        return true;
    if (shape->rest && shape->fields.count == 0)
        return decide_holder(forms, shape, owner, form);
    return bake_infer_decide_record(forms, shape, owner, form);
}

const infer_form *bake_infer_decide(infer_forms *forms, infer_shape *shape, const char *owner)
{
    shape = bake_infer_shape_of(shape);
    if (shape->is_deciding && !shape->form && !bake_infer_shape_begin(forms, shape, owner, true))
        return NULL;
    if (shape->form) {
        /* The caller now uses the name, so the type must not be replaced by an equal one. */
        if (shape->form->pending)
            shape->form->pending->is_expected = true;
        return shape->form;
    }
    infer_form form;
    memset(&form, 0, sizeof form);
    form.attributes = form.note = "";
    if (!decide_any(forms, shape, owner, &form) || !form.type)
        return NULL;
    infer_form *stored = bake_store_alloc(forms->store, 1, sizeof *stored);
    if (!stored)
        return NULL;
    *stored = form;
    stored->pending = NULL;
    shape->form = stored;
    return stored;
}
