#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "world_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static bool is_refused(world_memory *memory)
{
    memory->calls++;
    bool refused = memory->fail_at != 0 && (memory->calls == memory->fail_at ||
                                            (memory->fail_rest && memory->calls > memory->fail_at));
    memory->failed += refused;
    return refused;
}

static void *heap_alloc(void *ctx, size_t size, size_t align)
{
    world_memory *memory = ctx;
    assert_true(size > 0 && align > 0 && (align & (align - 1)) == 0 && align <= 4096);
    if (is_refused(memory))
        return NULL;
    kiln_allocator libc = kiln_allocator_default();
    void *ptr = libc.alloc(libc.ctx, size, align);
    if (ptr) {
        memset(ptr, 0xa5, size);
        memory->heap_bytes += size;
    }
    return ptr;
}

static void heap_free(void *ctx, void *ptr, size_t size)
{
    world_memory *memory = ctx;
    assert_non_null(ptr);
    assert_true(memory->heap_bytes >= size);
    memory->heap_bytes -= size;
    kiln_allocator libc = kiln_allocator_default();
    libc.free(libc.ctx, ptr, size);
}

static void *pages_map(void *ctx, size_t size, size_t align, bool huge)
{
    (void)huge;
    world_memory *memory = ctx;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    assert_true(size > 0 && align > 0 && (align & (align - 1)) == 0 && align <= 2u << 20);
    if (is_refused(memory))
        return NULL;
    assert_true(memory->mapping_count < WORLD_MAPPINGS_MAX);
    size_t inner = (size + page - 1) / page * page;
    size_t whole_size = inner + 2 * page + align;
    unsigned char *whole =
        mmap(NULL, whole_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (whole == MAP_FAILED)
        return NULL;
    unsigned char *start = whole + page;
    start += (size_t)(-(uintptr_t)start & (align - 1));
    assert_int_equal(0, mprotect(start, inner, PROT_READ | PROT_WRITE));
    world_mapping mapping = {whole, start, whole_size, size};
    memory->mappings[memory->mapping_count++] = mapping;
    memory->page_bytes += size;
    if (memory->page_bytes > memory->page_peak)
        memory->page_peak = memory->page_bytes;
    return start;
}

static void pages_unmap(void *ctx, void *ptr, size_t size)
{
    world_memory *memory = ctx;
    for (size_t i = 0; i < memory->mapping_count; i++) {
        world_mapping mapping = memory->mappings[i];
        if (mapping.memory != ptr)
            continue;
        assert_int_equal(mapping.size, size);
        assert_int_equal(0, munmap(mapping.whole, mapping.whole_size));
        memory->mappings[i] = memory->mappings[--memory->mapping_count];
        memory->page_bytes -= size;
        return;
    }
    fail_msg("unmapped pages that were never mapped");
}

static void pages_discard(void *ctx, void *ptr, size_t size)
{
    world_memory *memory = ctx;
    unsigned char *bytes = ptr;
    assert_true(size > 0 && size % KILN_MEGA_SIZE == 0);
    for (size_t i = 0; i < memory->mapping_count; i++) {
        world_mapping mapping = memory->mappings[i];
        if (bytes < mapping.memory || bytes >= mapping.memory + mapping.size)
            continue;
        assert_true(size <= (size_t)(mapping.memory + mapping.size - bytes));
        assert_int_equal(0, (bytes - mapping.memory) % KILN_MEGA_SIZE);
        memset(bytes, 0xdd, size);
        memory->discards += size;
        return;
    }
    fail_msg("discarded pages that were never mapped");
}

void world_memory_init(world_memory *memory)
{
    memset(memory, 0, sizeof *memory);
    kiln_allocator allocator = {heap_alloc, heap_free, memory};
    kiln_page_source pages = {
        .map = pages_map, .unmap = pages_unmap, .discard = pages_discard, .ctx = memory};
    memory->allocator = allocator;
    memory->pages = pages;
}

kiln_world_def world_memory_def(const world_memory *memory)
{
    kiln_world_def def = kiln_world_def_default();
    def.pages = &memory->pages;
    def.allocator = &memory->allocator;
    return def;
}
