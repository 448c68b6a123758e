/* The log of replacements: a ring of the last events. */
#ifndef KILN_ASSET_EVENTS_H
#define KILN_ASSET_EVENTS_H

#include "assets_object.h"

#include <kiln/replaced.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct asset_event {
    kiln_replaced_kind kind;
    kiln_mount mount;
    uint64_t replacement;
    kiln_id id;
    char *name; /* the event's own */
    size_t name_size;
    kiln_error *error; /* the event's own; NULL unless the replacement failed */
} asset_event;

/* The event with sequence number n is ring[n % KILN_REPLACED_EVENTS], for first <= n < next. */
struct asset_events {
    uint64_t first, next;
    uint64_t replacements;
    asset_event ring[KILN_REPLACED_EVENTS];
};

/* Sets the name of an event to a copy. */
kiln_status kiln_asset_event_init(const kiln_assets *assets, kiln_replaced_kind kind, kiln_id id,
                                  const char *name, asset_event *ret_event);
void kiln_asset_event_fini(const kiln_assets *assets, asset_event *event);

/* Appends an event of the current replacement. The log takes ownership. */
void kiln_asset_events_add(kiln_assets *assets, kiln_mount mount, asset_event *event);
/* Drops all events, because some could not be recorded: all readers will overrun. */
void kiln_asset_events_drop(kiln_assets *assets);
/* Adds the event of a failed replacement. */
void kiln_asset_events_fail(kiln_assets *assets, kiln_mount mount, const char *name,
                            const kiln_error *error);
void kiln_asset_events_free(kiln_assets *assets);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
