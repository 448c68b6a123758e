/* Hints for the words that other languages and tools use for types and keys. Many of these words,
 * such as `float` for `f32`, are too different for a hint by similarity. */
#include "schema_reader.h"

#include "bake_text.h"

typedef struct foreign_word {
    const char *word, *hint;
} foreign_word;

#define LIST_HINT "a list of T is written `T[]`"
#define MAP_HINT "a map is written `map<key, value>`"
#define RANGE_HINT "bounds are written `range: [min, max]`"
#define OPTIONAL_HINT "an optional value is written `T?`"
#define NAMED_HINT "declare structs, unions, enums and flag sets by name under `types`"

static const foreign_word types[] = {
    {"Array", LIST_HINT},
    {"HashMap", MAP_HINT},
    {"List", LIST_HINT},
    {"any", "use a union for a value that can have one of several types"},
    {"array", LIST_HINT},
    {"boolean", "did you mean \"bool\"?"},
    {"byte", "did you mean \"u8\"?"},
    {"char", "did you mean \"u8\" or \"string\"?"},
    {"dict", MAP_HINT},
    {"double", "did you mean \"f64\"?"},
    {"enum", NAMED_HINT},
    {"float", "did you mean \"f32\"?"},
    {"float32", "did you mean \"f32\"?"},
    {"float64", "did you mean \"f64\"?"},
    {"hash", MAP_HINT},
    {"int", "did you mean \"i32\"?"},
    {"int16", "did you mean \"i16\"?"},
    {"int32", "did you mean \"i32\"?"},
    {"int64", "did you mean \"i64\"?"},
    {"int8", "did you mean \"i8\"?"},
    {"integer", "did you mean \"i32\"?"},
    {"list", LIST_HINT},
    {"long", "did you mean \"i64\"?"},
    {"number", "did you mean \"f64\"?"},
    {"object", NAMED_HINT},
    {"optional", OPTIONAL_HINT},
    {"reference", "a reference to an asset is written `ref<Type>`"},
    {"short", "did you mean \"i16\"?"},
    {"str", "did you mean \"string\"?"},
    {"struct", NAMED_HINT},
    {"text", "did you mean \"string\"?"},
    {"uint", "did you mean \"u32\"?"},
    {"uint16", "did you mean \"u16\"?"},
    {"uint32", "did you mean \"u32\"?"},
    {"uint64", "did you mean \"u64\"?"},
    {"uint8", "did you mean \"u8\"?"},
    {"vector", LIST_HINT},
};

static const foreign_word keys[] = {
    {"description", "did you mean \"doc\"?"},
    {"enum", NAMED_HINT},
    {"fields", "did you mean \"struct\"?"},
    {"flags", NAMED_HINT},
    {"max", RANGE_HINT},
    {"maximum", RANGE_HINT},
    {"min", RANGE_HINT},
    {"minimum", RANGE_HINT},
    {"nullable", OPTIONAL_HINT},
    {"optional", OPTIONAL_HINT},
    {"struct", NAMED_HINT},
    {"union", NAMED_HINT},
    {"values", "did you mean \"enum\"?"},
};

static bool hint_word(schema_reader *reader, const foreign_word *words, size_t count,
                      const char *text, size_t length)
{
    for (size_t i = 0; i < count; i++) {
        if (bake_text_is(text, length, words[i].word)) {
            bake_hint(reader->diagnostics, "%s", words[i].hint);
            return true;
        }
    }
    return false;
}

bool bake_schema_hint_foreign_type(schema_reader *reader, const char *text, size_t length)
{
    return hint_word(reader, types, sizeof types / sizeof *types, text, length);
}

bool bake_schema_hint_foreign_key(schema_reader *reader, const char *text, size_t length)
{
    return hint_word(reader, keys, sizeof keys / sizeof *keys, text, length);
}
