#include "cache_tier.h"

#include "monotonic_clock.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

uint64_t bake_cache_time_left(const cache_tier *tier)
{
    uint64_t now = bake_monotonic_now();
    return now < tier->deadline ? (tier->deadline - now + 999999) / 1000000 : 0;
}

cache_answer bake_cache_break(cache_tier *tier, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(tier->why, sizeof tier->why, format, arguments);
    va_end(arguments);
    return CACHE_BROKEN;
}

cache_answer bake_cache_break_errno(cache_tier *tier, cache_answer answer, int error)
{
    if (error == ENOMEM)
        return CACHE_STOPPED;
    bake_cache_break(tier, "%s", strerror(error));
    return answer;
}

cache_answer bake_cache_break_late(cache_tier *tier)
{
    return bake_cache_break(tier, "it is too slow; see --cache-wait");
}
