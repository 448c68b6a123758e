/* Where outputs go: what a path leads to, and whether two paths lead to one place. */
#define _XOPEN_SOURCE 700

#include "gateway_output.h"

#include "bake_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool set_target(bake_output *output, const char *target)
{
    size_t length = strlen(target);
    if (length == 0 || target[length - 1] == '/') {
        errno = length ? EISDIR : ENOENT;
        return false;
    }
    output->target = bake_copy_text(target, length);
    if (!output->target)
        errno = ENOMEM;
    return output->target != NULL;
}

static bool set_target_behind_links(bake_output *output, const char *path)
{
    char *real = realpath(path, NULL);
    bool done = real && set_target(output, real);
    int error = errno;
    /* realpath's memory is the C library's own. */
    free(real);
    errno = error;
    return done;
}

/* The open descriptor that a name stands for, as /dev/stdout; -1: none. What it is open for is
 * written from where it is, as for "-", and is not replaced. */
static int named_descriptor(const char *path)
{
    static const char *const streams[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "-") == 0)
        return STDOUT_FILENO;
    for (int i = 0; i < 3; i++)
        if (strcmp(path, streams[i]) == 0)
            return i;
    for (size_t i = 0; i < 2; i++) {
        const char *number = path + strlen(folders[i]);
        if (strncmp(path, folders[i], strlen(folders[i])) != 0)
            continue;
        size_t digits = strspn(number, "0123456789");
        if (digits > 0 && digits < 8 && !number[digits])
            return atoi(number);
    }
    return -1;
}

bool bake_output_find_target(bake_output *output, const char *path)
{
    struct stat link;
    output->descriptor = named_descriptor(path);
    if (output->descriptor >= 0)
        return fstat(output->descriptor, &output->standing) == 0;
    if (stat(path, &output->standing) != 0)
        return errno == ENOENT && set_target(output, path);
    if (S_ISDIR(output->standing.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (!S_ISREG(output->standing.st_mode))
        return true;
    output->replaces = true;
    bool is_link = lstat(path, &link) == 0 && S_ISLNK(link.st_mode);
    return is_link ? set_target_behind_links(output, path) : set_target(output, path);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool look_at_folder(const char *target, struct stat *ret_status)
{
    size_t length = (size_t)(base_name(target) - target);
    char *folder = length ? bake_copy_text(target, length) : NULL;
    if (length && !folder) {
        errno = ENOMEM;
        return false;
    }
    bool done = stat(folder ? folder : ".", ret_status) == 0;
    int error = errno;
    bake_free(folder);
    errno = error;
    return done;
}

/* Whether both are one name in one folder, however the folder is named. Hard links are different
 * targets: each is replaced on its own. False with errno set also where a folder cannot be looked
 * at, else with errno 0. */
static bool is_same_target(const char *a, const char *b)
{
    struct stat a_folder, b_folder;
    errno = 0;
    if (strcmp(a, b) == 0)
        return true;
    if (strcmp(base_name(a), base_name(b)) != 0 || !look_at_folder(a, &a_folder) ||
        !look_at_folder(b, &b_folder))
        return false;
    errno = 0;
    return a_folder.st_dev == b_folder.st_dev && a_folder.st_ino == b_folder.st_ino;
}

bool bake_output_is_free(const bake_gateway *gateway, const bake_output *output)
{
    const char *name = output->target ? base_name(output->target) : NULL;
    for (size_t i = 0; i < gateway->place_count; i++) {
        const output_place *other = &gateway->places[i];
        errno = 0;
        if (name ? other->target && strcmp(other->name, name) == 0 &&
                       is_same_target(other->target, output->target)
                 : output->descriptor >= 0 && other->descriptor == output->descriptor)
            errno = BAKE_OUTPUT_TAKEN;
        if (errno)
            return false;
    }
    return true;
}

bool bake_output_is_same(const char *a, const char *b)
{
    bake_output first = {.path = NULL}, second = first;
    bool same = bake_output_find_target(&first, a) && bake_output_find_target(&second, b);
    if (same && first.target && second.target)
        same = is_same_target(first.target, second.target);
    else if (same)
        same = first.descriptor >= 0 && first.descriptor == second.descriptor;
    bake_free(first.target);
    bake_free(second.target);
    return same;
}

bool bake_output_take_place(bake_gateway *gateway, const bake_output *output)
{
    output_place *places = bake_grow(gateway->places, &gateway->place_capacity,
                                     gateway->place_count + 1, sizeof *places);
    output_place place = {.descriptor = output->descriptor};
    if (places)
        gateway->places = places;
    if (places && output->target)
        place.target = bake_copy_text(output->target, strlen(output->target));
    if (!places || (output->target && !place.target)) {
        errno = ENOMEM;
        return false;
    }
    place.name = place.target ? base_name(place.target) : NULL;
    places[gateway->place_count++] = place;
    return true;
}
