/* A text writer, and names of types. Names and strings come from the data. So strings that YAML
 * would misread are quoted, and names that C does not allow are replaced. */
#include "infer_names.h"

#include "ascii.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX = 60, QUOTE_MAX = 40 };

/* Makes room for `more` bytes and a NUL. The store remembers failures and is checked once at the
 * end, so callers need no checks. */
static bool reserve(infer_writer *w, size_t more)
{
    char *text = bake_store_grow(w->store, w->text, &w->capacity, w->length + more + 1, 1);
    if (text)
        w->text = text;
    return text != NULL;
}

void bake_infer_write(infer_writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !reserve(w, (size_t)length))
        return;
    va_start(arguments, format);
    vsnprintf(w->text + w->length, w->capacity - w->length, format, arguments);
    va_end(arguments);
    w->length += (size_t)length;
}

const char *bake_infer_written(const infer_writer *w)
{
    return w->text ? w->text : "";
}

/* Whether every YAML parser reads the unquoted text as a string. */
static bool is_plain(const char *text, size_t length)
{
    /* Includes the bools of YAML 1.1, because other programs can read the schema. */
    static const char *const words[] = {"null", "true", "false", "yes", "no",
                                        "on",   "off",  "y",     "n"};
    if (length == 0 || !(bake_is_alphabetic(text[0]) || text[0] == '_'))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!bake_is_alphabetic(text[i]) && !bake_is_digit(text[i]) && !strchr("_-./", text[i]))
            return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t k = 0;
        while (k < length && words[i][k] && (text[k] | 0x20) == words[i][k])
            k++;
        if (k == length && !words[i][k])
            return false;
    }
    return true;
}

void bake_infer_write_text(infer_writer *w, const char *text, size_t length)
{
    if (is_plain(text, length)) {
        bake_infer_write(w, "%.*s", (int)length, text);
        return;
    }
    bake_infer_write(w, "\"");
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            bake_infer_write(w, "\\%c", c);
        else if (c == '\n')
            bake_infer_write(w, "\\n");
        else if (c == '\t')
            bake_infer_write(w, "\\t");
        else if (c < 0x20 || c == 0x7F)
            bake_infer_write(w, "\\x%02X", c);
        else if (c == 0xC2 && i + 1 < length && (unsigned char)text[i + 1] < 0xA0)
            bake_infer_write(w, "\\x%02X", (unsigned char)text[++i]);
        else if (c == 0xE2 && i + 2 < length && (unsigned char)text[i + 1] == 0x80 &&
                 ((unsigned char)text[i + 2] & 0xFE) == 0xA8) {
            bake_infer_write(w, "\\u%04X", 0x2000u + ((unsigned char)text[i + 2] & 0x3Fu));
            i += 2;
        } else if (c == 0xEF && i + 2 < length && (unsigned char)text[i + 1] == 0xBB &&
                   (unsigned char)text[i + 2] == 0xBF) {
            bake_infer_write(w, "\\uFEFF");
            i += 2;
        } else
            bake_infer_write(w, "%c", c);
    }
    bake_infer_write(w, "\"");
}

void bake_infer_write_printable(infer_writer *w, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        bake_infer_write(w, "%c", c < 0x20 || c >= 0x7F ? '?' : c);
    }
}

void bake_infer_write_quote(infer_writer *w, const char *text, size_t length)
{
    bake_infer_write(w, "'");
    bake_infer_write_printable(w, text, length < QUOTE_MAX ? length : QUOTE_MAX);
    bake_infer_write(w, length > QUOTE_MAX ? "...'" : "'");
}

char *bake_infer_type_name(bake_store *store, const char *text, size_t length)
{
    char *name = bake_store_alloc(store, NAME_MAX + 8, 1);
    size_t at = 0;
    /* Capitalize each word. Bytes other than letters and digits separate words. */
    bool begins = true;
    if (!name)
        return NULL;
    for (size_t i = 0; i < length && at < NAME_MAX; i++) {
        char c = text[i];
        if (!bake_is_alphabetic(c) && !bake_is_digit(c)) {
            begins = true;
            continue;
        }
        if (at == 0 && bake_is_digit(c))
            name[at++] = 'N';
        name[at++] = begins && c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
        begins = false;
    }
    if (at == 0)
        memcpy(name, "Value", 6);
    return name;
}

void bake_infer_singular(char *name)
{
    /* Rules for common English plurals; a wrong singular is harmless. Words that end in `ss`, `us`
     * or `is`, such as `class` and `status`, are not plurals. */
    size_t length = strlen(name);
    char *end = name + length;
    if (length > 4 && strcmp(end - 3, "ies") == 0)
        memcpy(end - 3, "y", 2);
    else if ((length > 4 && strcmp(end - 3, "xes") == 0) ||
             (length > 5 && (strcmp(end - 4, "sses") == 0 || strcmp(end - 4, "shes") == 0 ||
                             strcmp(end - 4, "ches") == 0)))
        end[-2] = '\0';
    else if (length > 3 && end[-1] == 's' && end[-2] != 's' && end[-2] != 'u' && end[-2] != 'i')
        end[-1] = '\0';
}

/* Claims a name if it is free. Names that are reserved in Kiln or C are never free. */
static const char *try_name(infer_names *names, const char *name, bool *ret_ok)
{
    infer_place nowhere = {0, 0};
    size_t length = strlen(name);
    if (strcmp(name, "SceneData") == 0 || strcmp(name, "Null") == 0 || strcmp(name, "NULL") == 0 ||
        bake_infer_table_find(&names->taken, name, (uint32_t)length))
        return NULL;
    char *copy = bake_store_text(names->store, name, length);
    infer_entry *entry = copy ? bake_infer_table_find_or_add(&names->taken, names->store, copy,
                                                             (uint32_t)length, nowhere)
                              : NULL;
    *ret_ok = entry != NULL;
    return entry ? copy : NULL;
}

const char *bake_infer_names_take(infer_names *names, const char *wanted, const char *owner)
{
    char name[3 * NAME_MAX];
    bool ok = true;
    const char *taken = try_name(names, wanted, &ok);
    if (!taken && ok && owner && strlen(owner) + strlen(wanted) <= NAME_MAX) {
        snprintf(name, sizeof name, "%s%s", owner, wanted);
        taken = try_name(names, name, &ok);
    }
    /* Terminates, because the number of claimed names is finite. */
    for (unsigned i = 2; !taken && ok; i++) {
        snprintf(name, sizeof name, "%.80s%u", wanted, i);
        taken = try_name(names, name, &ok);
    }
    return taken;
}
