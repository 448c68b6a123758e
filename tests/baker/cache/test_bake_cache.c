/* Objects in folders: they are stored, found, limited, checked and collected. */
#include "gateway_fixture.h"

#include "bake_cache.h"
#include "cache_care.h"

#include <sys/wait.h>
#include <utime.h>

/* The error of fchmod; 0: none. */
static int mode_error;

int __real_fchmod(int file, mode_t mode);
int __wrap_fchmod(int file, mode_t mode);

int __wrap_fchmod(int file, mode_t mode)
{
    errno = mode_error;
    return mode_error ? -1 : __real_fchmod(file, mode);
}

static bake_cache_key content_key(const char *text)
{
    return (bake_cache_key){BAKE_CACHE_CONTENT, kiln_content_hash(text, strlen(text))};
}

static const bake_cache_key result_key = {BAKE_CACHE_RESULT, {7, 9}};

static bake_cache *create_cache(const bake_cache_settings *settings)
{
    bake_failure failure = {BAKE_OK, ""};
    bake_cache *cache = bake_cache_create(settings, &failure);
    assert_non_null(cache);
    return cache;
}

static void check_get(bake_cache *cache, bake_cache_key key, const char *text)
{
    cache_bytes bytes = {0};
    assert_true(bake_cache_get(cache, 0, key, strlen(text), &bytes));
    assert_int_equal(bytes.size, strlen(text));
    assert_memory_equal(bake_cache_bytes_at(&bytes), text, bytes.size);
    bake_cache_bytes_fini(&bytes);
}

static void check_warning(bake_cache *cache, const char *part)
{
    const char *warning = bake_cache_next_warning(cache);
    if (!warning || !strstr(warning, part))
        fail_msg("no \"%s\" in: %s", part, warning ? warning : "no warning");
    assert_null(bake_cache_next_warning(cache));
}

static void objects_are_stored_and_found(void **state)
{
    static const char *const texts[] = {"", "x", "some text"};
    (void)state;
    bake_cache *cache = create_cache(&(bake_cache_settings){.local = "c/d/"});
    assert_int_equal(bake_cache_tier_count(cache), 1);
    assert_string_equal(bake_cache_label(cache, 0), "c/d");
    for (size_t i = 0; i < 3; i++) {
        cache_bytes bytes = {0};
        assert_false(bake_cache_has(cache, 0, content_key(texts[i])));
        assert_false(bake_cache_get(cache, 0, content_key(texts[i]), 100, &bytes));
        bake_cache_put(cache, 0, content_key(texts[i]), texts[i], strlen(texts[i]));
        assert_true(bake_cache_has(cache, 0, content_key(texts[i])));
        check_get(cache, content_key(texts[i]), texts[i]);
        bake_cache_put(cache, 0, result_key, texts[i], strlen(texts[i]));
        check_get(cache, result_key, texts[i]);
    }
    assert_null(bake_cache_next_warning(cache));
    bake_cache_destroy(cache);
    assert_int_equal(access("c/d/ac/00/00000000000000090000000000000007", F_OK), 0);
}

static void no_cache_has_no_tiers(void **state)
{
    (void)state;
    assert_int_equal(bake_cache_tier_count(NULL), 0);
    assert_null(bake_cache_next_warning(NULL));
    bake_cache_destroy(NULL);
}

static void an_object_above_the_limit_is_damaged(void **state)
{
    (void)state;
    const bake_cache_key keys[] = {content_key("12345"), result_key};
    for (size_t i = 0; i < 2; i++) {
        cache_bytes bytes = {0};
        bake_cache *cache = create_cache(&(bake_cache_settings){.local = "c"});
        bake_cache_put(cache, 0, keys[i], "12345", 5);
        check_get(cache, keys[i], "12345");
        assert_false(bake_cache_get(cache, 0, keys[i], 4, &bytes));
        check_warning(cache, "is damaged");
        /* It is not read any more, but written. */
        assert_false(bake_cache_get(cache, 0, keys[i], 5, &bytes));
        assert_true(bake_cache_is_writable(cache, 0));
        bake_cache_destroy(cache);
    }
}

/* Changes the only object in `c` with a command, which finds it as $f. */
static void change_object(const char *command)
{
    char text[300];
    snprintf(text, sizeof text, "f=$(find c -path 'c/*c*' -type f); %s", command);
    assert_int_equal(system(text), 0);
}

static void changed_objects_are_damaged_and_repaired(void **state)
{
    static const char *const changes[] = {": > $f",
                                          "printf x >> $f",
                                          "printf y > $f",
                                          "printf Z | dd of=$f conv=notrunc 2> /dev/null",
                                          "truncate -s -1 $f",
                                          "truncate -s 56 $f"};
    (void)state;
    for (size_t i = 0; i < 2 * (sizeof changes / sizeof *changes); i++) {
        cache_bytes bytes = {0};
        bake_cache_key key = i % 2 ? result_key : content_key("12345");
        assert_int_equal(system("rm -rf c"), 0);
        bake_cache *cache = create_cache(&(bake_cache_settings){.local = "c"});
        bake_cache_put(cache, 0, key, "12345", 5);
        change_object(changes[i / 2]);
        assert_false(bake_cache_get(cache, 0, key, 100, &bytes));
        check_warning(cache, "is damaged");
        bake_cache_put(cache, 0, key, "12345", 5);
        bake_cache_destroy(cache);
        cache = create_cache(&(bake_cache_settings){.local = "c"});
        check_get(cache, key, "12345");
        bake_cache_destroy(cache);
    }
}

static void every_bit_of_a_result_is_checked(void **state)
{
    (void)state;
    cache_bytes bytes = {.most = 1000};
    unsigned char header[BAKE_CACHE_HEADER_SIZE];
    bake_cache_put_header(header, result_key, "12345", 5);
    assert_int_equal(bake_cache_bytes_add(&bytes, header, sizeof header), CACHE_DONE);
    assert_int_equal(bake_cache_bytes_add(&bytes, "12345", 5), CACHE_DONE);
    unsigned char *data = bytes.block.data;
    for (size_t bit = 0; bit < bytes.size * 8; bit++) {
        cache_bytes copy = bytes;
        data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_false(bake_cache_check(result_key, &copy));
        data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    for (size_t size = 0; size < bytes.size; size++) {
        cache_bytes copy = bytes;
        copy.size = size;
        assert_false(bake_cache_check(result_key, &copy));
    }
    cache_bytes copy = bytes;
    assert_false(bake_cache_check((bake_cache_key){BAKE_CACHE_RESULT, {7, 8}}, &copy));
    assert_true(bake_cache_check(result_key, &copy));
    assert_int_equal(copy.size, 5);
    bake_cache_bytes_fini(&bytes);
}

static void bytes_end_at_their_limit(void **state)
{
    (void)state;
    cache_bytes bytes = {.most = 5};
    assert_int_equal(bake_cache_bytes_reserve(&bytes, 6), CACHE_TOO_BIG);
    assert_int_equal(bake_cache_bytes_reserve(&bytes, UINT64_MAX), CACHE_TOO_BIG);
    assert_int_equal(bake_cache_bytes_add(&bytes, "123", 3), CACHE_DONE);
    assert_int_equal(bake_cache_bytes_add(&bytes, "456", 3), CACHE_TOO_BIG);
    assert_int_equal(bake_cache_bytes_add(&bytes, "45", 2), CACHE_DONE);
    assert_int_equal(bake_cache_bytes_add(&bytes, "6", 1), CACHE_TOO_BIG);
    assert_memory_equal(bake_cache_bytes_at(&bytes), "12345", 5);
    bake_cache_bytes_fini(&bytes);
}

/* A source and a sink that can fail. */
typedef struct transfer {
    char data[300000];
    size_t size, begun;
    size_t fail_at; /* the number of bytes after which it fails */
} transfer;

static bool begin_transfer(void *ctx)
{
    transfer *t = ctx;
    t->size = 0;
    t->begun++;
    return true;
}

static bool take(void *ctx, const void *data, size_t size)
{
    transfer *t = ctx;
    if (t->size + size > t->fail_at)
        return false;
    memcpy(t->data + t->size, data, size);
    t->size += size;
    return true;
}

static bool give(void *ctx, uint64_t offset, void *memory, size_t size)
{
    const transfer *t = ctx;
    assert_true(offset + size <= sizeof t->data);
    memcpy(memory, t->data + offset, size);
    return offset + size <= t->fail_at;
}

static transfer *new_transfer(size_t fail_at)
{
    transfer *t = calloc(1, sizeof *t);
    assert_non_null(t);
    for (size_t i = 0; i < sizeof t->data; i++)
        t->data[i] = (char)(i * 7 + i / 256);
    t->fail_at = fail_at;
    return t;
}

static bake_cache_source source_of(transfer *t)
{
    return (bake_cache_source){.size = sizeof t->data, .read = give, .ctx = t};
}

static void contents_pass_in_parts(void **state)
{
    (void)state;
    transfer *from = new_transfer(SIZE_MAX), *to = new_transfer(SIZE_MAX);
    bake_cache_key key = {BAKE_CACHE_CONTENT, kiln_content_hash(from->data, sizeof from->data)};
    bake_cache *cache = create_cache(&(bake_cache_settings){.local = "c"});
    bake_cache_source source = source_of(from);
    const bake_cache_sink sink = {begin_transfer, take, to};
    assert_false(bake_cache_get_to(cache, 0, key, sizeof from->data, &sink));
    assert_true(bake_cache_put_from(cache, 0, key, &source));
    memset(to->data, 0, sizeof to->data);
    assert_true(bake_cache_get_to(cache, 0, key, sizeof from->data, &sink));
    assert_int_equal(to->begun, 2);
    assert_memory_equal(to->data, from->data, sizeof from->data);
    /* It exists, so it is not read again. */
    from->fail_at = 0;
    assert_true(bake_cache_put_from(cache, 0, key, &source));
    /* A sink that fails is not the fault of the cache. */
    to->fail_at = 100000;
    assert_false(bake_cache_get_to(cache, 0, key, sizeof from->data, &sink));
    assert_null(bake_cache_next_warning(cache));
    to->fail_at = SIZE_MAX;
    assert_false(bake_cache_get_to(cache, 0, key, sizeof from->data - 1, &sink));
    check_warning(cache, "is damaged");
    bake_cache_destroy(cache);
    free(from);
    free(to);
}

static void a_source_that_fails_or_changes_is_not_stored(void **state)
{
    static const size_t fail_at[] = {0, 1, 65536, 299999, SIZE_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof fail_at / sizeof *fail_at; i++) {
        transfer *from = new_transfer(fail_at[i]);
        bake_cache_key key = {BAKE_CACHE_CONTENT, kiln_content_hash(from->data, sizeof from->data)};
        bake_cache *cache = create_cache(&(bake_cache_settings){.local = "c"});
        bake_cache_source source = source_of(from), empty = {.read = give, .ctx = from};
        from->data[sizeof from->data - 1] ^= 1;
        assert_false(bake_cache_put_from(cache, 0, key, &source));
        assert_false(bake_cache_put_from(cache, 0, key, &empty));
        assert_false(bake_cache_has(cache, 0, key));
        assert_null(bake_cache_next_warning(cache));
        bake_cache_destroy(cache);
        free(from);
    }
}

static void a_shared_folder_must_exist(void **state)
{
    (void)state;
    cache_bytes bytes = {0};
    bake_cache *cache = create_cache(&(bake_cache_settings){.shared = "s"});
    assert_false(bake_cache_get(cache, 0, content_key("x"), 1, &bytes));
    check_warning(cache, "the cache s is not used any more in this run: No such file");
    bake_cache_put(cache, 0, content_key("x"), "x", 1);
    assert_int_equal(access("s", F_OK), -1);
    bake_cache_destroy(cache);
    assert_int_equal(mkdir("s", 0777), 0);
    cache = create_cache(&(bake_cache_settings){.shared = "s", .read_only = true});
    assert_false(bake_cache_is_writable(cache, 0));
    bake_cache_put(cache, 0, content_key("x"), "x", 1);
    assert_int_equal(rmdir("s"), 0);
    bake_cache_destroy(cache);
}

/* Such as those of FAT, and of many network file systems. */
static void a_shared_folder_may_be_on_a_file_system_without_modes(void **state)
{
    static const struct {
        int error;
        bool is_written;
    } rows[] = {{0, true},      {EPERM, true}, {ENOTSUP, true}, {ENOSYS, true},
                {EINVAL, true}, {EIO, false},  {ENOSPC, false}, {EROFS, false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(system("rm -rf s && mkdir s"), 0);
        bake_cache *cache = create_cache(&(bake_cache_settings){.shared = "s"});
        mode_error = rows[i].error;
        bake_cache_put(cache, 0, content_key("text"), "text", 4);
        mode_error = 0;
        assert_int_equal(bake_cache_is_writable(cache, 0), rows[i].is_written);
        if (rows[i].is_written) {
            check_get(cache, content_key("text"), "text");
            assert_null(bake_cache_next_warning(cache));
        } else {
            check_warning(cache, strerror(rows[i].error));
        }
        bake_cache_destroy(cache);
    }
}

static void a_url_needs_a_scheme_and_no_secrets(void **state)
{
    static const char *const rows[] = {"",
                                       "cache.example",
                                       "ftp://x",
                                       "file:///etc",
                                       "http:/x",
                                       "https//x",
                                       "http://a b",
                                       "http://a\nb",
                                       "http://a?b",
                                       "http://a#b",
                                       "http://user:hunter2@a",
                                       "http://\xff"};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bake_failure failure = {BAKE_OK, ""};
        assert_null(bake_cache_create(&(bake_cache_settings){.url = rows[i]}, &failure));
        assert_int_equal(failure.result, BAKE_FAILED);
        assert_null(strstr(failure.text, "hunter2"));
    }
}

static uint64_t bytes_of(const char *folder)
{
    bake_cache_totals totals;
    assert_true(bake_cache_count(folder, &totals));
    return totals.bytes;
}

/* Stores five contents of 100 bytes, which were used one hour after the other. */
static void store_five(bake_cache_key keys[5])
{
    bake_cache *cache = create_cache(&(bake_cache_settings){.local = "c"});
    for (int i = 0; i < 5; i++) {
        char text[101], path[100], name[BAKE_CACHE_NAME_SIZE];
        memset(text, 'a' + i, 100);
        text[100] = '\0';
        keys[i] = content_key(text);
        bake_cache_put(cache, 0, keys[i], text, 100);
        bake_cache_name(name, keys[i], true);
        snprintf(path, sizeof path, "c/%s", name);
        struct utimbuf times = {1000000000 + i * 3600, 1000000000 + i * 3600};
        assert_int_equal(utime(path, &times), 0);
    }
    bake_cache_destroy(cache);
}

static void collecting_removes_what_was_used_least_recently(void **state)
{
    static const struct {
        uint64_t most, left;
    } rows[] = {{500, 5}, {499, 4}, {400, 4}, {399, 3}, {100, 1}, {99, 0}, {0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bake_cache_key keys[5];
        bake_cache_totals left, removed;
        assert_int_equal(system("rm -rf c"), 0);
        store_five(keys);
        assert_true(bake_cache_collect("c", rows[i].most, &left, &removed));
        assert_int_equal(left.contents, rows[i].left);
        assert_int_equal(left.bytes, 100 * rows[i].left);
        assert_int_equal(removed.contents, 5 - rows[i].left);
        assert_int_equal(bytes_of("c"), left.bytes);
        bake_cache *cache = create_cache(&(bake_cache_settings){.local = "c"});
        for (size_t k = 0; k < 5; k++)
            assert_int_equal(bake_cache_has(cache, 0, keys[k]), k >= 5 - rows[i].left);
        bake_cache_destroy(cache);
    }
}

static void reading_an_object_marks_it_as_used(void **state)
{
    (void)state;
    bake_cache_key keys[5];
    cache_bytes bytes = {0};
    bake_cache_totals left, removed;
    store_five(keys);
    bake_cache *cache = create_cache(&(bake_cache_settings){.local = "c"});
    assert_true(bake_cache_get(cache, 0, keys[0], 100, &bytes));
    bake_cache_bytes_fini(&bytes);
    assert_true(bake_cache_has(cache, 0, keys[1]));
    assert_true(bake_cache_collect("c", 200, &left, &removed));
    for (size_t k = 0; k < 5; k++)
        assert_int_equal(bake_cache_has(cache, 0, keys[k]), k < 2);
    bake_cache_destroy(cache);
}

static void the_bound_removes_a_fifth_more(void **state)
{
    static const struct {
        const char *total; /* in the file `size`; NULL: none */
        uint64_t added, most, left;
    } rows[] = {
        {"500\n", 0, 500, 500},
        {"400\n", 100, 500, 500},
        {"401\n", 100, 500, 500},
        {"500\n", 0, 499, 400},
        {NULL, 100, 499, 400},
        {"x\n", 0, 250, 200},
        {"-1\n", 0, 499, 400},
        {"500", 0, 499, 400},
        {"", 0, 499, 400},
        {"1\n", 0, 499, 500},
        {"18446744073709551615\n", 1, 499, 400},
        {"99999999999999999999999999999999\n", 1, 499, 400},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bake_cache_key keys[5];
        assert_int_equal(system("rm -rf c"), 0);
        store_five(keys);
        assert_int_equal(unlink("c/size"), 0);
        if (rows[i].total)
            make_file("c/size", rows[i].total);
        bake_cache_bound("c", rows[i].added, rows[i].most);
        if (bytes_of("c") != rows[i].left)
            fail_msg("row %zu: %llu bytes", i, (unsigned long long)bytes_of("c"));
    }
}

/* Runs `during` while another process has the lock of the folder c. */
static void with_the_folder_locked(void (*during)(void))
{
    int locked[2], ends[2];
    char byte;
    assert_true(pipe(locked) == 0 && pipe(ends) == 0);
    pid_t other = fork();
    assert_true(other >= 0);
    if (other == 0) {
        const struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        int file = open("c/lock", O_RDWR | O_CREAT, 0666);
        close(ends[1]);
        bool ok = file >= 0 && fcntl(file, F_SETLK, &whole) == 0 && write(locked[1], "x", 1) == 1;
        _exit(!ok || read(ends[0], &byte, 1) != 0);
    }
    close(ends[0]);
    close(locked[1]);
    assert_int_equal(read(locked[0], &byte, 1), 1);
    during();
    int status = 1;
    close(ends[1]);
    close(locked[0]);
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(status, 0);
}

static void store_a_sixth(void)
{
    char text[100];
    memset(text, 'f', sizeof text);
    bake_cache *cache = create_cache(&(bake_cache_settings){.local = "c"});
    const bake_cache_key key = {BAKE_CACHE_CONTENT, kiln_content_hash(text, sizeof text)};
    bake_cache_put(cache, 0, key, text, sizeof text);
    bake_cache_destroy(cache);
}

static void bytes_that_are_stored_while_the_folder_is_locked_are_counted(void **state)
{
    (void)state;
    bake_cache_key keys[5];
    store_five(keys);
    with_the_folder_locked(store_a_sixth);
    assert_int_equal(bytes_of("c"), 600);
    bake_cache_bound("c", 0, 600);
    assert_int_equal(bytes_of("c"), 600);
    with_the_folder_locked(store_a_sixth);
    bake_cache_bound("c", 0, 599);
    assert_int_equal(bytes_of("c"), 400);
    /* The total is known again. */
    bake_cache_bound("c", 100, 599);
    assert_int_equal(access("c/recount", F_OK), -1);
    assert_int_equal(bytes_of("c"), 400);
}

static void care_of_a_folder_that_is_missing_fails(void **state)
{
    (void)state;
    bake_cache_totals totals, removed;
    make_file("file", "");
    for (int i = 0; i < 2; i++) {
        const char *path = i ? "file" : "none";
        int error = i ? ENOTDIR : ENOENT;
        errno = 0;
        assert_false(bake_cache_count(path, &totals));
        assert_int_equal(errno, error);
        errno = 0;
        assert_false(bake_cache_collect(path, 0, &totals, &removed));
        assert_int_equal(errno, error);
        errno = 0;
        assert_false(bake_cache_verify(path, NULL, NULL, &totals));
        assert_int_equal(errno, error);
        bake_cache_bound(path, 1, 1);
    }
}

static void count_damaged(void *ctx, const char *name, bool is_removed)
{
    size_t *count = ctx;
    assert_true(is_removed);
    assert_int_equal(strncmp(name, "cas/", 4), 0);
    ++*count;
}

static void verify_removes_damaged_objects(void **state)
{
    (void)state;
    bake_cache_key keys[5];
    size_t damaged = 0;
    bake_cache_totals totals;
    store_five(keys);
    assert_true(bake_cache_verify("c", count_damaged, &damaged, &totals));
    assert_int_equal(totals.contents, 5);
    assert_int_equal(damaged, 0);
    assert_int_equal(system("f=$(find c/cas -type f | head -1); printf x > $f"), 0);
    assert_true(bake_cache_verify("c", count_damaged, &damaged, &totals));
    assert_int_equal(damaged, 1);
    assert_int_equal(bytes_of("c"), 400);
}

/* Uses a cache in all ways. Returns whether each object was found; a failed allocation may lose
 * any. */
static bool everything(void)
{
    cache_bytes bytes = {0};
    bake_failure failure = {BAKE_OK, ""};
    bake_cache_totals totals, removed;
    size_t damaged = 0;
    bake_cache *cache =
        bake_cache_create(&(bake_cache_settings){.local = "c", .shared = "s"}, &failure);
    bool done = cache != NULL;
    for (size_t tier = 0; tier < 2 && cache; tier++) {
        bake_cache_put(cache, tier, content_key("12345"), "12345", 5);
        bake_cache_put(cache, tier, result_key, "12345", 5);
        done = bake_cache_get(cache, tier, result_key, 5, &bytes) && done;
        if (bytes.size)
            assert_memory_equal(bake_cache_bytes_at(&bytes), "12345", 5);
        bake_cache_bytes_fini(&bytes);
        assert_null(bake_cache_next_warning(cache));
    }
    bake_cache_destroy(cache);
    done = bake_cache_verify("s", count_damaged, &damaged, &totals) && done;
    done = bake_cache_collect("s", 1, &totals, &removed) && done;
    assert_int_equal(damaged, 0);
    return done;
}

static void no_failed_allocation_leaks_or_damages(void **state)
{
    (void)state;
    assert_int_equal(mkdir("s", 0777), 0);
    assert_int_equal(mkdir("c", 0777), 0);
    for (int once = 0; once < 2; once++) {
        bool failed = true;
        for (long n = 0; failed; n++) {
            (once ? bake_memory_fail_at : bake_memory_fail_after)(n);
            bool done = everything();
            failed = bake_memory_has_failed();
            bake_memory_fail_after(-1);
            assert_true(done || failed);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(objects_are_stored_and_found),
        TEST(no_cache_has_no_tiers),
        TEST(an_object_above_the_limit_is_damaged),
        TEST(changed_objects_are_damaged_and_repaired),
        TEST(every_bit_of_a_result_is_checked),
        TEST(bytes_end_at_their_limit),
        TEST(contents_pass_in_parts),
        TEST(a_source_that_fails_or_changes_is_not_stored),
        TEST(a_shared_folder_must_exist),
        TEST(a_shared_folder_may_be_on_a_file_system_without_modes),
        TEST(a_url_needs_a_scheme_and_no_secrets),
        TEST(collecting_removes_what_was_used_least_recently),
        TEST(reading_an_object_marks_it_as_used),
        TEST(the_bound_removes_a_fifth_more),
        TEST(bytes_that_are_stored_while_the_folder_is_locked_are_counted),
        TEST(care_of_a_folder_that_is_missing_fails),
        TEST(verify_removes_damaged_objects),
        TEST(no_failed_allocation_leaks_or_damages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
