#define _POSIX_C_SOURCE 200809L

#include "corpus_archive.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { BLOCK = 512, LEVEL = 19, NAME_MAX_OF_TAR = 100, INPUTS_MAX = 1 << 16 };
/* Far larger than any corpus. */
#define TAR_SIZE_MAX ((size_t)1 << 30)

/* The header block of each file (POSIX.1-1988, ustar). */
typedef struct tar_header {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100],
        magic[6], version[2], rest[247];
} tar_header;

_Static_assert(sizeof(tar_header) == BLOCK, "a header is one block");

unsigned char *corpus_read_file(const char *path, size_t *ret_size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *data = NULL;
    size_t size = 0, got = 1;
    while (file && got > 0) {
        unsigned char *more = realloc(data, size + 65536);
        if (!more)
            break;
        data = more;
        got = fread(data + size, 1, 65536, file);
        size += got;
    }
    bool is_read = file && got == 0 && !ferror(file);
    if (file)
        fclose(file);
    *ret_size = size;
    if (is_read)
        return data;
    free(data);
    return NULL;
}

bool corpus_archive_open(corpus_archive *archive, const char *path)
{
    size_t packed_size = 0;
    unsigned char *packed = corpus_read_file(path, &packed_size);
    unsigned long long size = packed ? ZSTD_getFrameContentSize(packed, packed_size) : 0;
    memset(archive, 0, sizeof *archive);
    if (size > 0 && size < TAR_SIZE_MAX)
        archive->tar = malloc((size_t)size);
    if (archive->tar)
        archive->size = ZSTD_decompress(archive->tar, (size_t)size, packed, packed_size);
    free(packed);
    if (archive->tar && !ZSTD_isError(archive->size))
        return true;
    corpus_archive_close(archive);
    return false;
}

static bool read_octal(const char *text, size_t length, size_t *ret_number)
{
    size_t number = 0, i = 0;
    for (; i < length && text[i] >= '0' && text[i] <= '7'; i++)
        number = number * 8 + (size_t)(text[i] - '0');
    *ret_number = number;
    return i > 0 && (i == length || text[i] == '\0' || text[i] == ' ') && number < TAR_SIZE_MAX;
}

bool corpus_archive_next(corpus_archive *archive, corpus_input *ret_input)
{
    const tar_header *header = (const void *)(archive->tar + archive->at);
    if (archive->at + BLOCK > archive->size) {
        archive->is_broken = true;
        return false;
    }
    if (header->name[0] == '\0')
        return false;
    size_t left = archive->size - archive->at - BLOCK;
    if (memcmp(header->magic, "ustar", 5) != 0 || header->type != '0' ||
        !read_octal(header->size, sizeof header->size, &ret_input->size) ||
        ret_input->size > left) {
        archive->is_broken = true;
        return false;
    }
    memcpy(ret_input->name, header->name, sizeof header->name);
    ret_input->name[sizeof header->name] = '\0';
    ret_input->data = archive->tar + archive->at + BLOCK;
    archive->at += BLOCK + (ret_input->size + BLOCK - 1) / BLOCK * BLOCK;
    return true;
}

void corpus_archive_close(corpus_archive *archive)
{
    free(archive->tar);
    memset(archive, 0, sizeof *archive);
}

/* ---- writing ---- */

typedef struct tar_writer {
    unsigned char *data;
    size_t size, capacity;
    bool has_failed;
} tar_writer;

/* Writes bytes, padded with zeros to a whole block. */
static void append(tar_writer *tar, const void *data, size_t size)
{
    size_t whole = (size + BLOCK - 1) / BLOCK * BLOCK;
    if (tar->size + whole > tar->capacity) {
        size_t capacity = (tar->size + whole) * 2;
        unsigned char *grown = tar->has_failed ? NULL : realloc(tar->data, capacity);
        if (!grown) {
            tar->has_failed = true;
            return;
        }
        tar->data = grown;
        tar->capacity = capacity;
    }
    memset(tar->data + tar->size, 0, whole);
    if (size)
        memcpy(tar->data + tar->size, data, size);
    tar->size += whole;
}

static void append_file(tar_writer *tar, const char *folder, const char *name)
{
    char path[4096];
    size_t size = 0;
    unsigned sum = 0;
    tar_header header;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unsigned char *data = corpus_read_file(path, &size);
    if (!data || strlen(name) > NAME_MAX_OF_TAR) {
        fprintf(stderr, "cannot pack %s\n", path);
        free(data);
        tar->has_failed = true;
        return;
    }
    memset(&header, 0, sizeof header);
    memcpy(header.name, name, strlen(name));
    memcpy(header.mode, "0000644", 8);
    memcpy(header.uid, "0000000", 8);
    memcpy(header.gid, "0000000", 8);
    snprintf(header.size, sizeof header.size, "%011lo", (unsigned long)size);
    memcpy(header.mtime, "00000000000", 12);
    memset(header.checksum, ' ', 8);
    header.type = '0';
    memcpy(header.magic, "ustar", 6);
    memcpy(header.version, "00", 2);
    for (size_t i = 0; i < sizeof header; i++)
        sum += ((const unsigned char *)&header)[i];
    snprintf(header.checksum, 7, "%06o", sum);
    append(tar, &header, sizeof header);
    append(tar, data, size);
    free(data);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns the sorted names of the files in a folder, and their number or -1. */
static int list_names(const char *folder, char **names)
{
    DIR *opened = opendir(folder);
    int count = 0;
    if (!opened)
        return -1;
    for (struct dirent *entry; count >= 0 && (entry = readdir(opened));) {
        if (entry->d_name[0] == '.')
            continue;
        if (count == INPUTS_MAX || !(names[count] = strdup(entry->d_name))) {
            count = -1;
            break;
        }
        count++;
    }
    closedir(opened);
    if (count > 1)
        qsort(names, (size_t)count, sizeof *names, compare_names);
    return count;
}

static void append_folder(tar_writer *tar, const char *folder)
{
    static char *names[INPUTS_MAX];
    static const char end[2 * BLOCK];
    int count = list_names(folder, names);
    tar->has_failed = count < 0;
    for (int i = 0; i < count; i++) {
        append_file(tar, folder, names[i]);
        free(names[i]);
    }
    append(tar, end, sizeof end);
}

static bool holds(const char *path, const tar_writer *tar)
{
    corpus_archive before;
    bool is_same = corpus_archive_open(&before, path) && before.size == tar->size &&
                   memcmp(before.tar, tar->data, tar->size) == 0;
    corpus_archive_close(&before);
    return is_same;
}

static bool write_packed(const char *path, const tar_writer *tar)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    size_t bound = ZSTD_compressBound(tar->size), size = 0;
    unsigned char *packed = malloc(bound);
    FILE *file = NULL;
    bool is_written = false;
    if (context && packed) {
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
        size = ZSTD_compress2(context, packed, bound, tar->data, tar->size);
        file = ZSTD_isError(size) ? NULL : fopen(path, "wb");
    }
    if (file) {
        is_written = fwrite(packed, 1, size, file) == size;
        is_written = fclose(file) == 0 && is_written;
    }
    ZSTD_freeCCtx(context);
    free(packed);
    return is_written;
}

bool corpus_archive_pack(const char *folder, const char *path)
{
    tar_writer tar = {NULL, 0, 0, false};
    append_folder(&tar, folder);
    bool is_packed = !tar.has_failed && (holds(path, &tar) || write_packed(path, &tar));
    free(tar.data);
    return is_packed;
}
