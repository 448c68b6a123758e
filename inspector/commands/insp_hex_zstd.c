/* Only the structure of frames is read; nothing is decompressed. */
#include "insp_hex_zstd.h"

#include <inttypes.h>

#define ZSTD_MAGIC UINT32_C(0xFD2FB528)

enum { MAGIC_SIZE = 4, BLOCK_HEADER_SIZE = 3, CHECKSUM_SIZE = 4 };

/* The header of a frame, after the magic number. */
typedef struct frame_header {
    uint64_t window, content;
    uint32_t dictionary, size;
    bool is_single, has_content, has_dictionary, has_checksum;
} frame_header;

static uint64_t read_little(const unsigned char *data, uint32_t size)
{
    uint64_t number = 0;
    uint32_t i;
    for (i = 0; i < size; i++)
        number |= (uint64_t)data[i] << (8 * i);
    return number;
}

/* The window that a byte describes: an exponent and eighths. */
static uint64_t window_of(unsigned char byte)
{
    uint64_t base = UINT64_C(1) << (10 + (byte >> 3));
    return base + base / 8 * (byte & 7);
}

/* Returns false if fewer than `left` bytes contain the header. */
static bool read_header(const unsigned char *data, uint64_t left, frame_header *ret)
{
    static const uint32_t dictionary_sizes[] = {0, 1, 2, 4}, content_sizes[] = {0, 2, 4, 8};
    uint32_t at = 1, dictionary, content;
    if (!left)
        return false;
    *ret = (frame_header){.is_single = data[0] & 0x20, .has_checksum = data[0] & 4};
    dictionary = dictionary_sizes[data[0] & 3];
    content = content_sizes[data[0] >> 6];
    if (!content && ret->is_single)
        content = 1;
    ret->has_dictionary = dictionary > 0;
    ret->has_content = content > 0;
    ret->size = at + !ret->is_single + dictionary + content;
    if (left < ret->size)
        return false;
    if (!ret->is_single)
        ret->window = window_of(data[at++]);
    ret->dictionary = (uint32_t)read_little(data + at, dictionary);
    at += dictionary;
    ret->content = read_little(data + at, content) + (content == 2 ? 256 : 0);
    return true;
}

static void put_header(insp_hex_view *v, uint64_t at, const frame_header *header)
{
    if (!insp_hex_begin_row(v, at, at + header->size))
        return;
    insp_put(v->out, "frame header");
    if (header->has_content)
        insp_putf(v->out, ", content of %" PRIu64 " byte%s", header->content,
                  header->content == 1 ? "" : "s");
    if (!header->is_single)
        insp_putf(v->out, ", window of %" PRIu64, header->window);
    if (header->has_dictionary)
        insp_putf(v->out, ", dictionary %" PRIu32, header->dictionary);
    insp_put(v->out, header->has_checksum ? ", with a checksum" : "");
    insp_hex_end_row(v);
}

/* Prints a block at `at`. Returns the offset after it, or `at` if it is not complete. */
static uint64_t put_block(insp_hex_view *v, uint64_t at, uint64_t end, uint32_t number,
                          bool *ret_is_last)
{
    static const char *const kinds[] = {"raw", "repeated byte", "compressed", "reserved"};
    uint32_t word, kind;
    uint64_t size, begin = at + BLOCK_HEADER_SIZE;
    if (end - at < BLOCK_HEADER_SIZE)
        return at;
    word = (uint32_t)read_little(v->data + at, BLOCK_HEADER_SIZE);
    kind = word >> 1 & 3;
    size = kind == 1 ? 1 : word >> 3;
    if (kind == 3 || size > end - begin)
        return at;
    *ret_is_last = word & 1;
    if (insp_hex_begin_row(v, at, begin)) {
        insp_putf(v->out, "block %" PRIu32 ", %s, %" PRIu32 " byte%s%s", number, kinds[kind],
                  word >> 3, word >> 3 == 1 ? "" : "s", word & 1 ? ", the last" : "");
        insp_hex_end_row(v);
    }
    insp_hex_put_rows(v, begin, begin + size,
                      kind == 2   ? ""
                      : kind == 1 ? "byte "
                                  : "data ",
                      kind != 2);
    return begin + size;
}

/* Prints a frame at `at`. Returns the offset after the parts that are complete. */
static uint64_t put_frame(insp_hex_view *v, uint64_t at, uint64_t end, uint32_t number,
                          bool *ret_is_whole)
{
    frame_header header;
    bool is_last = false;
    uint32_t block = 0;
    *ret_is_whole = false;
    if (end - at < MAGIC_SIZE || read_little(v->data + at, MAGIC_SIZE) != ZSTD_MAGIC ||
        !read_header(v->data + at + MAGIC_SIZE, end - at - MAGIC_SIZE, &header))
        return at;
    if (insp_hex_begin_row(v, at, at + MAGIC_SIZE)) {
        insp_putf(v->out, "zstd frame %" PRIu32 ": magic", number);
        insp_hex_end_row(v);
    }
    at += MAGIC_SIZE;
    put_header(v, at, &header);
    at += header.size;
    while (!is_last && !v->run->out.error) {
        uint64_t next = put_block(v, at, end, ++block, &is_last);
        if (next == at)
            return at;
        at = next;
    }
    if (header.has_checksum) {
        if (end - at < CHECKSUM_SIZE)
            return at;
        if (insp_hex_begin_row(v, at, at + CHECKSUM_SIZE)) {
            insp_putf(v->out, "checksum: %08" PRIx32,
                      (uint32_t)read_little(v->data + at, CHECKSUM_SIZE));
            insp_hex_end_row(v);
        }
        at += CHECKSUM_SIZE;
    }
    *ret_is_whole = true;
    return at;
}

void insp_hex_put_frames(insp_hex_view *v, uint64_t at, uint64_t end)
{
    bool is_whole = true;
    uint32_t number = 0;
    while (at < end && is_whole && !v->run->out.error)
        at = put_frame(v, at, end, ++number, &is_whole);
    insp_hex_put_rows(v, at, end, "not a zstd frame (I17) ", true);
}
