/* Names and messages of statuses, and kiln_fail, which fills a kiln_error.
 *
 * Error paths contain names and keys from files, so they are untrusted: kiln_fail escapes control
 * characters, as in \x1b. It shortens long paths in the middle, because the beginning identifies
 * the asset and the end identifies the value. */

#define _POSIX_C_SOURCE 200809L /* the strerror_r that returns an int */

#include <kiln/status.h>

#include "utf8.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *rule, *text;
} statuses[] = {
#define KILN_STATUS_ROW(name, rule, text) {#name, rule, text},
    KILN_STATUS_LIST(KILN_STATUS_ROW)
#undef KILN_STATUS_ROW
};

const char *kiln_status_text(kiln_status status)
{
    return (unsigned)status < KILN_STATUS_COUNT ? statuses[status].text : "unknown status";
}

const char *kiln_status_name(kiln_status status)
{
    return (unsigned)status < KILN_STATUS_COUNT ? statuses[status].name : "UNKNOWN";
}

const char *kiln_status_rule(kiln_status status)
{
    return (unsigned)status < KILN_STATUS_COUNT ? statuses[status].rule : "";
}

const char *kiln_status_word(kiln_status status)
{
    const char *rule = kiln_status_rule(status);
    return *rule ? rule : kiln_status_name(status);
}

bool kiln_status_is_limit(kiln_status status)
{
    return kiln_status_rule(status)[0] == 'L';
}

static bool is_shown_as_number(unsigned char c)
{
    return c < 0x20 || c == 0x7f;
}

/* Appends `length` bytes to `to`, with control characters escaped, as far as they fit. Returns the
 * new length of `to`. */
static size_t show(char *to, size_t at, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        size_t left = KILN_PATH_SIZE - at;
        int written = snprintf(to + at, left, is_shown_as_number(c) ? "\\x%02x" : "%c", c);
        if ((size_t)written >= left)
            break;
        at += (size_t)written;
    }
    to[at] = '\0';
    return at;
}

/* How many bytes at the beginning of `text` (`step` 1) or at its end (`step` -1) fit in `room`
 * bytes when escaped. Never splits a UTF-8 sequence: `whole` is the longest part so far that ends
 * between two sequences. */
static size_t fitting(const char *text, size_t length, int step, size_t room)
{
    size_t kept = 0, whole = 0, shown = 0;
    while (kept < length) {
        size_t next = step > 0 ? kept : length - 1 - kept;
        shown += is_shown_as_number((unsigned char)text[next]) ? 4 : 1;
        if (shown > room)
            return whole;
        kept++;
        size_t edge = step > 0 ? kept : length - kept;
        if (edge == length || !utf8_is_inside(text[edge]))
            whole = kept;
    }
    return kept;
}

kiln_status kiln_fail(kiln_error *reterr, kiln_status status, uint64_t offset, const char *path)
{
    static const char missing[] = "...";
    if (!reterr)
        return status;
    char shown[KILN_PATH_SIZE] = "";
    size_t length = path ? strlen(path) : 0, room = KILN_PATH_SIZE - 1;
    if (fitting(path, length, 1, room) == length) {
        show(shown, 0, path, length);
    } else {
        size_t half = (room - (sizeof missing - 1)) / 2;
        size_t tail = fitting(path, length, -1, half);
        size_t at = show(shown, 0, path, fitting(path, length, 1, half));
        at = show(shown, at, missing, sizeof missing - 1);
        show(shown, at, path + length - tail, tail);
    }
    reterr->status = status;
    reterr->system_error = 0;
    reterr->offset = offset;
    /* Written last, because `path` may be `reterr->path`. */
    memcpy(reterr->path, shown, sizeof shown);
    return status;
}

kiln_status kiln_fail_system(kiln_error *reterr, int system_error, const char *path)
{
    kiln_fail(reterr, KILN_IO, 0, path);
    if (reterr)
        reterr->system_error = system_error;
    return KILN_IO;
}

/* Formats `error` without its path. strerror_r is used because strerror is not thread-safe. */
static void reason(const kiln_error *error, char *text, size_t size)
{
    const char *rule = kiln_status_rule(error->status);
    const char *what = kiln_status_text(error->status);
    if (error->system_error) {
        if (strerror_r(error->system_error, text, size) != 0)
            snprintf(text, size, "system error %d", error->system_error);
    } else if (*rule && error->offset) {
        snprintf(text, size, "%s (rule %s, offset %" PRIu64 ")", what, rule, error->offset);
    } else if (*rule) {
        snprintf(text, size, "%s (rule %s)", what, rule);
    } else if (error->offset) {
        snprintf(text, size, "%s (offset %" PRIu64 ")", what, error->offset);
    } else {
        snprintf(text, size, "%s", what);
    }
}

size_t kiln_error_format(const kiln_error *error, char *text, size_t size)
{
    char why[KILN_ERROR_TEXT_SIZE - KILN_PATH_SIZE];
    reason(error, why, sizeof why);
    int written = *error->path ? snprintf(text, size, "%s: %s", error->path, why)
                               : snprintf(text, size, "%s", why);
    return (size_t)written;
}
