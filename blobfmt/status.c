#include <kiln/status.h>

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

kiln_status kiln_fail(kiln_error *reterr, kiln_status status, uint64_t offset, const char *path)
{
    if (reterr) {
        reterr->status = status;
        reterr->offset = offset;
        size_t length = path ? strlen(path) : 0;
        if (length >= KILN_PATH_SIZE)
            length = KILN_PATH_SIZE - 1;
        if (length)
            memmove(reterr->path, path, length);
        reterr->path[length] = '\0';
    }
    return status;
}
