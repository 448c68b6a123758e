/* Resident memory of a pool without objects, after kiln_pool_trim and before. */
#define _DEFAULT_SOURCE

#include "baselines.h"
#include "probe.h"

#include <kiln/pool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OBJECT_SIZE = 36 };

/* Resident bytes of this process; 0 if they are unknown. */
static double resident(void)
{
    unsigned long long all = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    if (fscanf(file, "%llu %llu", &all, &pages) != 2)
        pages = 0;
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* Creates and destroys all objects. */
static kiln_pool *used_pool(kiln_pool_handle *handles, uint32_t count)
{
    kiln_pool_def def = kiln_pool_def_default();
    def.size = OBJECT_SIZE;
    def.align = 4;
    kiln_pool *pool = NULL;
    if (kiln_pool_create(&def, &pool))
        return NULL;
    if (kiln_pool_objects_create(pool, count, handles) ||
        kiln_pool_objects_destroy(pool, handles, count) != count) {
        kiln_pool_destroy(pool);
        return NULL;
    }
    return pool;
}

const char *probe_pool_trim(const char *argument, bench_pair *ret_pair)
{
    static const double megabyte = 1e6;
    uint32_t count = (uint32_t)strtoul(argument, NULL, 10), alive = 0;
    if (count == 0)
        return "FAILED: the number of objects is missing";
    kiln_pool_handle *handles = baseline_array(count, sizeof *handles);
    memset(handles, 1, count * sizeof *handles); /* now resident */
    double start = resident();
    kiln_pool *pool = used_pool(handles, count);
    if (!pool)
        return "FAILED: out of memory";
    double before = resident();
    size_t returned = kiln_pool_trim(pool);
    double after = resident();
    for (uint32_t i = 0; i < count; i++)
        alive += kiln_pool_get(pool, handles[i]) != NULL;
    kiln_pool_destroy(pool);
    free(handles);
    if (start == 0)
        return "SKIPPED (resident memory is unknown)";
    if (alive || returned == 0)
        return "FAILED: no memory was released, or an object is alive";
    ret_pair->ours = (after - start) / megabyte;
    ret_pair->baseline = (before - start) / megabyte;
    return NULL;
}
