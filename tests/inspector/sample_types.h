/* The types of the sample files, and C structs with the same layout. */
#ifndef SAMPLE_TYPES_H
#define SAMPLE_TYPES_H

#include <kiln/relative.h>
#include <kiln/types.h>

enum {
    T_BOOL,
    T_U8,
    T_U32,
    T_U64,
    T_I16,
    T_I32,
    T_I64,
    T_F32,
    T_F64,
    T_STRING,
    T_BYTES,
    T_RARITY,
    T_ELEMENT,
    T_VEC3,
    T_BURN,
    T_EFFECT,
    T_PART,
    T_ITEM,
    T_NAMES,
    T_NODE,
    T_RGB,
    T_PAIR,
    T_STRINGS,
    T_NUMBERS,
    T_EFFECTS,
    T_PARTS,
    T_NODES,
    T_STATS,
    T_TEXTS,
    T_PAIRS,
    T_ITEM_REF,
    T_REF,
    T_MAYBE_ITEM,
    T_MAYBE_STRING,
    T_COUNT
};

typedef struct vec3 {
    float x, y, z;
} vec3;

typedef struct burn {
    float seconds;
    uint8_t color[3];
} burn;

typedef struct part {
    kiln_string name;
    int16_t weight;
} part;

typedef struct item {
    kiln_string name;
    uint32_t price;
    uint8_t rarity;
    uint8_t elements;
    uint8_t sold;
    KILN_ALIGNAS(8) double weight;
    float scale;
    KILN_ALIGNAS(8) uint64_t big;
    KILN_ALIGNAS(8) int64_t low;
    vec3 at;
    kiln_bytes icon;
    kiln_array tags;
    kiln_array numbers;
    kiln_array stats;
    kiln_union effect;
    kiln_array effects;
    kiln_ptr twin;
    KILN_ALIGNAS(8) uint64_t music;
    kiln_ptr note;
    kiln_array parts;
    kiln_array pairs;
    kiln_array extra;
} item;

typedef struct text_entry {
    kiln_string key;
    kiln_string value;
} text_entry;

typedef struct stat_entry {
    kiln_string key;
    uint32_t value;
} stat_entry;

typedef struct pair_entry {
    int32_t key[2];
    uint8_t value;
} pair_entry;

typedef struct node {
    kiln_array children;
    uint32_t value;
} node;

typedef struct ship_entry {
    KILN_ALIGNAS(8) uint64_t key;
    uint32_t value;
} ship_entry;

typedef struct route {
    kiln_array by_ship;
    kiln_array stops;
    kiln_bytes chart;
} route;

/* `small`: only what a node needs, so that a test can afford to try every byte of the file. */
kiln_types *sample_types(bool small);
/* A map whose keys are references, a newtype, and bytes aligned to 64. */
kiln_types *sample_linked_types(void);

#endif
