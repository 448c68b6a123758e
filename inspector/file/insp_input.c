/* Maps regular files and copies others.
 *
 * The mapped inputs are in a list, which the handler of SIGBUS searches for the failed address. The
 * handler calls only mmap and sigaction, which are plain system calls. It replaces all pages from
 * the failed one to the end, because a truncated file has none of them.
 *
 * The same handler receives the signals of a program that has failed because bytes changed after
 * they were checked. If a mapped file has changed, that is the likely reason. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#define _POSIX_C_SOURCE 200809L
#include "insp_input.h"

#include "insp_memory.h"
#include "insp_read.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HUGE_PAGE = 2 << 20 };

struct insp_input {
    unsigned char *data;
    size_t size;
    insp_input *next; /* in the list of mapped inputs */
    size_t room;      /* mapped bytes, with the rest of the last page; 0 for a copy */
    void *reserved;   /* the addresses around the mapping, or NULL */
    int file;         /* of a mapped input */
    const char *path;
    struct stat facts;
    atomic_bool has_lost_pages;
};

static insp_input *mapped;

enum { SIGNAL_COUNT = 4 };
static const int signals[SIGNAL_COUNT] = {SIGBUS, SIGSEGV, SIGFPE, SIGABRT};
static struct sigaction handlers_before[SIGNAL_COUNT];

static insp_input_lost *on_lost;
static void *lost_ctx;

/* Puts empty pages at `address` and after it. */
static bool replace_pages(insp_input *input, const unsigned char *address)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t from = (size_t)(address - input->data) / page * page;
    void *made = mmap(input->data + from, input->room - from, PROT_READ,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    atomic_store(&input->has_lost_pages, true);
    return made != MAP_FAILED;
}

/* Restores the handler of a signal. */
static void restore_handler(int number)
{
    int i;
    for (i = 0; i < SIGNAL_COUNT; i++)
        if (signals[i] == number)
            sigaction(number, &handlers_before[i], NULL);
}

static void report_lost(void)
{
    const insp_input *input;
    for (input = mapped; input && on_lost; input = input->next) {
        insp_input_lost *lost = on_lost;
        int error = insp_input_check(input);
        if (!error)
            continue;
        on_lost = NULL;
        lost(lost_ctx, input->path, error);
    }
}

/* After a failure that does not concern an input, the handler before this one is restored, and the
 * instruction that failed runs again. A signal that a program sent is sent again, because no
 * instruction failed. */
static void on_signal(int number, siginfo_t *about, void *context)
{
    int error = errno;
    uintptr_t address = (uintptr_t)about->si_addr;
    insp_input *input = number == SIGBUS ? mapped : NULL;
    (void)context;
    while (input &&
           (address < (uintptr_t)input->data || address - (uintptr_t)input->data >= input->room))
        input = input->next;
    if (!input || !replace_pages(input, about->si_addr)) {
        report_lost();
        restore_handler(number);
        if (about->si_code <= 0)
            raise(number);
    }
    errno = error;
}

void insp_input_on_lost(insp_input_lost *lost, void *ctx)
{
    on_lost = lost;
    lost_ctx = ctx;
}

static int add_mapped(insp_input *input)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO};
    int i;
    action.sa_sigaction = on_signal;
    sigemptyset(&action.sa_mask);
    for (i = 0; !mapped && i < SIGNAL_COUNT; i++) {
        if (sigaction(signals[i], &action, &handlers_before[i]) == 0)
            continue;
        while (i-- > 0)
            restore_handler(signals[i]);
        return errno;
    }
    input->next = mapped;
    mapped = input;
    return 0;
}

static void remove_mapped(const insp_input *input)
{
    insp_input **at = &mapped;
    int i;
    while (*at && *at != input)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = input->next;
    for (i = 0; !mapped && i < SIGNAL_COUNT; i++)
        restore_handler(signals[i]);
}

static void unmap(const insp_input *input)
{
    if (input->reserved)
        munmap(input->reserved, input->room + 2 * HUGE_PAGE);
    else
        munmap(input->data, input->room);
}

/* Maps the file at an address that is not at the boundary of a huge page. Otherwise Linux may map
 * the huge pages of its cache as a whole, and each page that is read makes 2 MiB resident. */
static void *map_apart(insp_input *input, size_t size, int file)
{
    unsigned char *begin = mmap(NULL, input->room + 2 * HUGE_PAGE, PROT_NONE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *data;
    if (begin == MAP_FAILED)
        return mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    input->reserved = begin;
    begin += HUGE_PAGE - (uintptr_t)begin % HUGE_PAGE + page;
    data = mmap(begin, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0);
    if (data == MAP_FAILED) {
        munmap(input->reserved, input->room + 2 * HUGE_PAGE);
        input->reserved = NULL;
    }
    return data;
}

/* Maps a regular file that is read from its beginning. Returns false if it must be copied. */
static bool map(insp_input *input, insp_use use, int file)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size;
    void *data;
    if (fstat(file, &input->facts) != 0 || !S_ISREG(input->facts.st_mode) ||
        input->facts.st_size <= 0 || (uintmax_t)input->facts.st_size > SIZE_MAX / 2 ||
        lseek(file, 0, SEEK_CUR) != 0)
        return false;
    size = (size_t)input->facts.st_size;
    input->room = (size + page - 1) / page * page;
    data = use == INSP_USE_PARTS ? map_apart(input, size, file)
                                 : mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (data != MAP_FAILED) {
        input->data = data;
        input->size = size;
        if (add_mapped(input) == 0)
            return true;
        unmap(input);
    }
    input->room = 0;
    return false;
}

static int map_or_read(insp_input *input, const char *path, uint64_t max, insp_use use)
{
    int file, error = insp_read_open(path, &file);
    if (error)
        return error;
    input->file = file;
    input->path = path;
    if (map(input, use, file))
        return 0;
    error = insp_read_rest(file, max, &input->data, &input->size);
    insp_read_close(file);
    return error;
}

int insp_input_open(const char *path, uint64_t max, insp_use use, insp_input **ret_input)
{
    insp_input *input = insp_alloc(sizeof *input, _Alignof(insp_input));
    int error;
    if (!input)
        return ENOMEM;
    error = use == INSP_USE_COPY ? insp_read(path, max, &input->data, &input->size)
                                 : map_or_read(input, path, max, use);
    if (error)
        insp_free(input);
    else
        *ret_input = input;
    return error;
}

void insp_input_close(insp_input *input)
{
    if (!input)
        return;
    if (input->room) {
        remove_mapped(input);
        unmap(input);
        insp_read_close(input->file);
    } else {
        insp_free(input->data);
    }
    insp_free(input);
}

const unsigned char *insp_input_data(const insp_input *input)
{
    return input->data;
}

size_t insp_input_size(const insp_input *input)
{
    return input->size;
}

bool insp_input_is_mapped(const insp_input *input)
{
    return input->room != 0;
}

/* The time of the last change is compared because other bytes may have the same size. */
int insp_input_check(const insp_input *input)
{
    const struct stat *before = &input->facts;
    struct stat after;
    if (!input->room)
        return 0;
    if (fstat(input->file, &after) != 0)
        return errno;
    if (after.st_size != before->st_size)
        return after.st_size < before->st_size ? INSP_TRUNCATED : INSP_GREW;
    if (after.st_mtim.tv_sec != before->st_mtim.tv_sec ||
        after.st_mtim.tv_nsec != before->st_mtim.tv_nsec)
        return INSP_CHANGED;
    return atomic_load(&input->has_lost_pages) ? EIO : 0;
}
