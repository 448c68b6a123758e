/* Sequence numbers only increase, so a cursor is one number, and the table needs no list of
 * readers. If a cursor is below the oldest event, its reader
 * has missed some events. */
#include "asset_events.h"

#include "asset_lock.h"

#include <string.h>

kiln_status kiln_asset_event_init(const kiln_assets *assets, kiln_replaced_kind kind, kiln_id id,
                                  const char *name, asset_event *ret_event)
{
    size_t size = strlen(name) + 1;
    char *copy = assets->allocator.alloc(assets->allocator.ctx, size, 1);
    if (!copy)
        return KILN_NO_MEMORY;
    memcpy(copy, name, size);
    *ret_event = (asset_event){.kind = kind, .id = id, .name = copy, .name_size = size};
    return KILN_OK;
}

void kiln_asset_event_fini(const kiln_assets *assets, asset_event *event)
{
    const kiln_allocator *allocator = &assets->allocator;
    if (event->name)
        allocator->free(allocator->ctx, event->name, event->name_size);
    if (event->error)
        allocator->free(allocator->ctx, event->error, sizeof *event->error);
    *event = (asset_event){0};
}

static asset_event *event_at(struct asset_events *events, uint64_t number)
{
    return &events->ring[number % KILN_REPLACED_EVENTS];
}

void kiln_asset_events_add(kiln_assets *assets, kiln_mount mount, asset_event *event)
{
    struct asset_events *events = assets->events;
    asset_event *place = event_at(events, events->next);
    if (events->next - events->first == KILN_REPLACED_EVENTS) {
        kiln_asset_event_fini(assets, place);
        events->first++;
    }
    *place = *event;
    place->mount = mount;
    place->replacement = events->replacements;
    *event = (asset_event){0};
    events->next++;
}

void kiln_asset_events_drop(kiln_assets *assets)
{
    struct asset_events *events = assets->events;
    for (; events->first < events->next; events->first++)
        kiln_asset_event_fini(assets, event_at(events, events->first));
    /* A cursor after the last event is now below `first`, so its reader gets KILN_OVERRUN, too. */
    events->first = ++events->next;
}

void kiln_asset_events_fail(kiln_assets *assets, kiln_mount mount, const char *name,
                            const kiln_error *error)
{
    asset_event event;
    if (!assets->events)
        return;
    assets->events->replacements++;
    if (kiln_asset_event_init(assets, KILN_REPLACED_FAILED, 0, name, &event) != KILN_OK) {
        kiln_asset_events_drop(assets);
        return;
    }
    event.error =
        assets->allocator.alloc(assets->allocator.ctx, sizeof *error, _Alignof(kiln_error));
    if (event.error) {
        *event.error = *error;
        kiln_asset_events_add(assets, mount, &event);
    } else {
        kiln_asset_event_fini(assets, &event);
        kiln_asset_events_drop(assets);
    }
}

void kiln_asset_events_free(kiln_assets *assets)
{
    if (!assets->events)
        return;
    kiln_asset_events_drop(assets);
    assets->allocator.free(assets->allocator.ctx, assets->events, sizeof *assets->events);
    assets->events = NULL;
}

/* ---- reading ---- */

kiln_status kiln_assets_watch(kiln_assets *assets, uint64_t *ret_cursor, kiln_error *reterr)
{
    if (!assets || !ret_cursor)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    kiln_asset_lock(assets);
    if (!assets->events) {
        assets->events = assets->allocator.alloc(assets->allocator.ctx, sizeof *assets->events,
                                                 _Alignof(struct asset_events));
        if (assets->events)
            memset(assets->events, 0, sizeof *assets->events);
    }
    if (assets->events)
        *ret_cursor = assets->events->next;
    kiln_status status = assets->events ? KILN_OK : KILN_NO_MEMORY;
    kiln_asset_unlock(assets);
    return asset_result(reterr, status);
}

static void fill(const asset_event *from, kiln_replaced *ret_event)
{
    kiln_error shortened;
    kiln_fail(&shortened, KILN_NOT_FOUND, 0, from->name);
    *ret_event = (kiln_replaced){
        .kind = from->kind, .mount = from->mount, .replacement = from->replacement, .id = from->id};
    memcpy(ret_event->name, shortened.path, sizeof ret_event->name);
    if (from->error)
        ret_event->error = *from->error;
}

kiln_status kiln_assets_next_replaced(kiln_assets *assets, uint64_t *cursor,
                                      kiln_replaced *ret_event)
{
    if (!assets || !cursor || !ret_event)
        return KILN_BAD_ARGUMENT;
    kiln_status status = KILN_OK;
    kiln_asset_lock(assets);
    struct asset_events *events = assets->events;
    if (!events || *cursor > events->next) {
        status = KILN_BAD_ARGUMENT;
    } else if (*cursor < events->first) {
        *cursor = events->next;
        status = KILN_OVERRUN;
    } else if (*cursor == events->next) {
        status = KILN_NOT_FOUND;
    } else {
        fill(event_at(events, (*cursor)++), ret_event);
    }
    kiln_asset_unlock(assets);
    return status;
}
