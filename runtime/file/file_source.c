/* Provides the bytes of a file: maps it, copies it, or uses the program's memory.
 *
 * A mapping costs nothing per byte, but it shows writes of other processes, and reading beyond the
 * end of a truncated file raises SIGBUS. So files that others can change in place need
 * KILN_SOURCE_COPY. Clean-up preserves errno, since it explains KILN_IO. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#define _FILE_OFFSET_BITS 64

#include "file_source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SOURCE_ALIGN = 1 << KILN_ALIGN_LOG2_MAX, /* fits every blob, and is the smallest page size */
    READ_MAX = 1 << 30                       /* systems reject or shorten larger reads */
};

static void close_keeping_errno(int fd)
{
    int saved = errno;
    close(fd);
    errno = saved;
}

/* Opens `path` if it is a regular file. A pipe or a device has no size to check an index against,
 * and O_NONBLOCK keeps open from blocking on a pipe without a writer. */
static kiln_status open_regular(const char *path, int *ret_fd, uint64_t *ret_size)
{
    int fd;
    do {
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return KILN_IO;
    struct stat info;
    if (fstat(fd, &info) != 0) {
        close_keeping_errno(fd);
        return KILN_IO;
    }
    if (!S_ISREG(info.st_mode)) {
        close(fd);
        errno = S_ISDIR(info.st_mode) ? EISDIR : ENODEV;
        return KILN_IO;
    }
    *ret_fd = fd;
    *ret_size = (uint64_t)info.st_size;
    return KILN_OK;
}

/* Reads `size` bytes; fewer if the file has become shorter. */
static kiln_status read_all(int fd, unsigned char *data, size_t size, size_t *ret_read)
{
    size_t done = 0;
    while (done < size) {
        size_t left = size - done;
        ssize_t got = read(fd, data + done, left < READ_MAX ? left : READ_MAX);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return KILN_IO;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    *ret_read = done;
    return KILN_OK;
}

static kiln_status allocate_owned(size_t size, const kiln_allocator *allocator,
                                  kiln_file_source *source)
{
    source->owned = allocator->alloc(allocator->ctx, size, SOURCE_ALIGN);
    if (!source->owned)
        return KILN_NO_MEMORY;
    source->owned_size = size;
    source->data = source->owned;
    source->size = size;
    return KILN_OK;
}

static kiln_status copy_descriptor(int fd, size_t size, const kiln_allocator *allocator,
                                   kiln_file_source *source)
{
    kiln_status status = allocate_owned(size, allocator, source);
    if (status == KILN_OK)
        status = read_all(fd, source->owned, size, &source->size);
    return status;
}

static kiln_status map_descriptor(int fd, size_t size, kiln_file_source *source)
{
    void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
        return KILN_IO;
    source->data = data;
    source->size = size;
    source->mapped = true;
    source->has_descriptor = true;
    source->descriptor = fd;
    return KILN_OK;
}

static kiln_status take_path(const kiln_file_def *def, const kiln_allocator *allocator,
                             kiln_file_source *source)
{
    int fd = -1;
    uint64_t size = 0;
    kiln_status status = open_regular(def->path, &fd, &size);
    if (status != KILN_OK)
        return status;
    if (size == 0)
        status = KILN_H_TRUNCATED;
    else if (size > PTRDIFF_MAX)
        status = KILN_UNSUPPORTED;
    else if (def->source == KILN_SOURCE_COPY)
        status = copy_descriptor(fd, (size_t)size, allocator, source);
    else
        status = map_descriptor(fd, (size_t)size, source);
    if (!source->has_descriptor)
        close_keeping_errno(fd);
    if (status == KILN_OK && source->size == 0)
        status = KILN_H_TRUNCATED;
    return status;
}

static kiln_status take_data(const kiln_file_def *def, const kiln_allocator *allocator,
                             kiln_file_source *source)
{
    if (def->size == 0)
        return KILN_H_TRUNCATED;
    if (def->source == KILN_SOURCE_MAP) {
        source->data = def->data;
        source->size = def->size;
        return KILN_OK;
    }
    kiln_status status = allocate_owned(def->size, allocator, source);
    if (status == KILN_OK)
        memcpy(source->owned, def->data, def->size);
    return status;
}

kiln_status kiln_file_source_init(const kiln_file_def *def, const kiln_allocator *allocator,
                                  kiln_file_source *ret_source, kiln_error *reterr)
{
    kiln_file_source source = {0};
    kiln_status status =
        def->path ? take_path(def, allocator, &source) : take_data(def, allocator, &source);
    if (status != KILN_OK) {
        kiln_file_source_fini(&source, allocator);
        return status == KILN_IO ? kiln_fail_system(reterr, errno, def->path)
                                 : kiln_fail(reterr, status, 0, def->path);
    }
    *ret_source = source;
    return KILN_OK;
}

/* munmap takes a pointer to non-const. */
static void unmap(const void *data, size_t size)
{
    union {
        const void *given;
        void *wanted;
    } address = {data};
    if (size > 0)
        munmap(address.wanted, size);
}

/* Copies the bytes to a larger allocation, because allocators need not support larger alignments
 * than SOURCE_ALIGN. */
static kiln_status move_owned(kiln_file_source *source, size_t align,
                              const kiln_allocator *allocator)
{
    size_t size = source->size + align;
    unsigned char *made = allocator->alloc(allocator->ctx, size, SOURCE_ALIGN);
    if (!made)
        return KILN_NO_MEMORY;
    unsigned char *data = made + ((align - ((uintptr_t)made & (align - 1))) & (align - 1));
    memcpy(data, source->data, source->size);
    allocator->free(allocator->ctx, source->owned, source->owned_size);
    source->owned = made;
    source->owned_size = size;
    source->data = data;
    return KILN_OK;
}

kiln_status kiln_file_source_align(kiln_file_source *source, size_t align,
                                   const kiln_allocator *allocator)
{
    if (source->size > SIZE_MAX - 2 * align)
        return KILN_NO_MEMORY;
    if (source->owned)
        return move_owned(source, align, allocator);
    /* Mappings end at multiples of the page size, which divides `align`. */
    size_t size = (source->size + align - 1) & ~(align - 1), room = size + align;
    unsigned char *begin = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (begin == MAP_FAILED)
        return KILN_IO;
    size_t skipped = (align - ((uintptr_t)begin & (align - 1))) & (align - 1);
    void *data = mmap(begin + skipped, source->size, PROT_READ, MAP_PRIVATE | MAP_FIXED,
                      source->descriptor, 0);
    if (data == MAP_FAILED) {
        int saved = errno;
        munmap(begin, room);
        errno = saved;
        return KILN_IO;
    }
    unmap(begin, skipped);
    unmap(begin + skipped + size, room - skipped - size);
    unmap(source->data, source->size);
    source->data = data;
    source->reserved = size;
    return KILN_OK;
}

void kiln_file_source_close_descriptor(kiln_file_source *source)
{
    if (source->has_descriptor)
        close_keeping_errno(source->descriptor);
    source->has_descriptor = false;
}

void kiln_file_source_fini(kiln_file_source *source, const kiln_allocator *allocator)
{
    int saved = errno;
    kiln_file_source_close_descriptor(source);
    if (source->mapped)
        unmap(source->data, source->reserved ? source->reserved : source->size);
    if (source->owned)
        allocator->free(allocator->ctx, source->owned, source->owned_size);
    memset(source, 0, sizeof *source);
    errno = saved;
}
