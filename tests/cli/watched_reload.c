/* A program that runs while its assets are baked: watched_reload FILE ASSET
 *
 * Mounts the file and prints the first number of the asset. When the file is replaced, replaces the
 * mount and prints the number again. Runs until it is killed. */
#define _POSIX_C_SOURCE 200809L

#include <kiln/assets.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

static kiln_error error;

static void must(kiln_status status)
{
    char text[KILN_ERROR_TEXT_SIZE];
    if (!status)
        return;
    error.status = status;
    kiln_error_format(&error, text, sizeof text);
    fprintf(stderr, "watched_reload: %s\n", text);
    exit(1);
}

static void print(kiln_assets *assets, kiln_ref ref)
{
    const uint32_t *number = kiln_ref_get(kiln_assets_get_slots(assets), ref);
    printf("%u\n", number ? (unsigned)*number : 0);
    fflush(stdout);
}

/* An output is replaced by renaming, so it is another file. */
static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

int main(int argc, char **argv)
{
    kiln_assets_def assets_def = kiln_assets_def_default();
    kiln_mount_def def = kiln_mount_def_default();
    const struct timespec pause = {0, 1000000};
    struct stat last, current;
    kiln_assets *assets = NULL;
    kiln_mount mount;
    kiln_ref ref;
    if (argc != 3 || stat(argv[1], &last) != 0)
        return 2;
    def.file.path = argv[1];
    must(kiln_assets_create(&assets_def, &assets, &error));
    must(kiln_assets_mount(assets, &def, &mount, &error));
    const kiln_load_args load = {.name = argv[2], .by = KILN_HERE};
    must(kiln_assets_load(assets, &load, &ref, &error));
    print(assets, ref);
    for (;;) {
        nanosleep(&pause, NULL);
        if (stat(argv[1], &current) != 0 || is_same(&last, &current))
            continue;
        last = current;
        must(kiln_assets_replace(assets, mount, &def, &error));
        print(assets, ref);
    }
}
