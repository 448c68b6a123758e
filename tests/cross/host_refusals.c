/* A big-endian host is refused before a payload is read.
 *
 *     host_refusals          on a little-endian host: the calls with READS_PAYLOAD must crash at
 *                            the payload, and the others must return
 *     host_refusals refuse   on a big-endian host: each call must return KILN_BIG_ENDIAN_HOST
 *
 * The 32 bytes of a valid header end at the last byte of a page. The payload begins in the next
 * page, which is not readable. doors.py checks that this file calls every public function that
 * takes bytes, or that behind_doors.txt states why not. */
#define _DEFAULT_SOURCE
#include <kiln/blob_header.h>
#include <kiln/builder.h>
#include <kiln/file_writer.h>
#include <kiln/index.h>
#include <kiln/type_table.h>
#include <kiln/verify.h>
#ifdef KILN_HAS_RUNTIME
#include <kiln/assets.h>
#include <kiln/file.h>
#endif
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAYLOAD_SIZE = 128, BLOB_SIZE = KILN_HEADER_SIZE + PAYLOAD_SIZE, ALIGN_LOG2 = 4 };

/* Exit code of a child that returned from the call. A child that reads the payload crashes
 * instead. */
enum { RETURNED = 17, RETURNED_REFUSAL = 18 };

static unsigned char *blob;
/* NULL on a big-endian host, which refuses to create types. */
static kiln_types *builtin;

/* A missing type must not cause a crash that looks like a read of the payload. */
static uint32_t number_of(const char *type)
{
    uint32_t number = kiln_types_find(builtin, type);
    if (number == KILN_TYPE_NONE) {
        printf("no built-in type %s\n", type);
        fflush(stdout);
        _exit(RETURNED_REFUSAL);
    }
    return number;
}

/* Writes a valid header except for the hash. The payload is aligned to 16, so it directly follows
 * the header. */
static void write_header(kiln_blob_kind kind, const char *type)
{
    kiln_blob_header header = {.magic = "KILN",
                               .major = KILN_VERSION_MAJOR,
                               .minor = KILN_VERSION_MINOR,
                               .flags =
                                   (uint16_t)(ALIGN_LOG2 | (unsigned)kind << KILN_FLAG_KIND_SHIFT),
                               .payload_size = PAYLOAD_SIZE};
    if (builtin)
        header.layout = kiln_types_get(builtin, number_of(type))->layout;
    memcpy(blob, &header, sizeof header);
}

static kiln_status read_header(void)
{
    kiln_blob_header header;
    write_header(KILN_BLOB_INDEX, "kiln.Index");
    return kiln_header_read(blob, BLOB_SIZE, &header, NULL);
}

static kiln_status check_hash(void)
{
    kiln_blob_header header = {.flags = ALIGN_LOG2, .payload_size = PAYLOAD_SIZE};
    return kiln_header_check_hash(blob, &header, NULL);
}

static kiln_status read_type_table(void)
{
    kiln_types *types = NULL;
    write_header(KILN_BLOB_TYPE_TABLE, "kiln.TypeTable");
    return kiln_type_table_read(NULL, blob, BLOB_SIZE, &types, NULL);
}

static kiln_status verify(void)
{
    kiln_verify_def def = kiln_verify_def_default();
    write_header(KILN_BLOB_ASSET, "kiln.Index");
    def.types = builtin;
    def.type = builtin ? number_of("kiln.Index") : 0;
    return kiln_verify(&def, blob, BLOB_SIZE, NULL);
}

static kiln_status verify_image(void)
{
    return kiln_verify_image(builtin, builtin ? number_of("kiln.Index") : 0,
                             (kiln_span){blob + KILN_HEADER_SIZE, PAYLOAD_SIZE}, NULL, NULL);
}

static kiln_status check_index(void)
{
    const kiln_index *index = NULL;
    write_header(KILN_BLOB_INDEX, "kiln.Index");
    return kiln_index_check(builtin, NULL, &(kiln_file_head){blob, BLOB_SIZE, BLOB_SIZE}, &index,
                            NULL);
}

static kiln_status read_index_frame(void)
{
    kiln_index_frame frame;
    write_header(KILN_BLOB_INDEX, "kiln.Index");
    return kiln_index_frame_read(&(kiln_file_head){blob, BLOB_SIZE, BLOB_SIZE}, true, &frame, NULL);
}

static kiln_status create_types(void)
{
    static const kiln_type type = {.kind = KILN_KIND_U8};
    kiln_types *types = NULL;
    kiln_status status = kiln_types_create(NULL, &type, 1, &types, NULL);
    kiln_types_destroy(types);
    return status;
}

static kiln_status create_builtin_types(void)
{
    kiln_types *types = NULL;
    kiln_status status = kiln_types_create_builtin(NULL, &types, NULL);
    kiln_types_destroy(types);
    return status;
}

static kiln_status create_builder(void)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    kiln_status status = kiln_builder_create(&def, &builder);
    kiln_builder_destroy(builder);
    return status;
}

static kiln_status create_file_writer(void)
{
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_file_writer *writer = NULL;
    kiln_status status = kiln_file_writer_create(&def, &writer, NULL);
    kiln_file_writer_destroy(writer);
    return status;
}

#ifdef KILN_HAS_RUNTIME
static kiln_status open_file(void)
{
    kiln_file_def def = kiln_file_def_default();
    kiln_file *file = NULL;
    write_header(KILN_BLOB_INDEX, "kiln.Index");
    def.data = blob;
    def.size = BLOB_SIZE;
    return kiln_file_open(&def, &file, NULL);
}

static kiln_status open_copy(void)
{
    kiln_file_def def = kiln_file_def_default();
    kiln_file *file = NULL;
    write_header(KILN_BLOB_INDEX, "kiln.Index");
    def.data = blob;
    def.size = BLOB_SIZE;
    def.source = KILN_SOURCE_COPY;
    return kiln_file_open(&def, &file, NULL);
}

static kiln_status create_assets(void)
{
    kiln_assets_def def = kiln_assets_def_default();
    kiln_assets *assets = NULL;
    write_header(KILN_BLOB_TYPE_TABLE, "kiln.TypeTable");
    def.types = blob;
    def.types_size = BLOB_SIZE;
    return kiln_assets_create(&def, &assets, NULL);
}
#endif

/* Whether the call must read the payload on a little-endian host. */
typedef enum { READS_NONE, READS_PAYLOAD } reading;

static const struct {
    const char *name;
    kiln_status (*call)(void);
    reading reading;
} doors[] = {
    {"kiln_header_read", read_header, READS_NONE},
    {"kiln_header_check_hash", check_hash, READS_PAYLOAD},
    {"kiln_type_table_read", read_type_table, READS_PAYLOAD},
    {"kiln_verify", verify, READS_PAYLOAD},
    {"kiln_verify_image", verify_image, READS_PAYLOAD},
    {"kiln_index_check", check_index, READS_PAYLOAD},
    {"kiln_index_frame_read", read_index_frame, READS_PAYLOAD},
    {"kiln_types_create", create_types, READS_NONE},
    {"kiln_types_create_builtin", create_builtin_types, READS_NONE},
    {"kiln_builder_create", create_builder, READS_NONE},
    {"kiln_file_writer_create", create_file_writer, READS_NONE},
#ifdef KILN_HAS_RUNTIME
    {"kiln_file_open", open_file, READS_PAYLOAD},
    {"kiln_file_open, copying", open_copy, READS_PAYLOAD},
    {"kiln_assets_create", create_assets, READS_PAYLOAD},
#endif
};

enum { DOORS = sizeof doors / sizeof doors[0] };

static int make_blob(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *pages =
        mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE) != 0) {
        perror("host_refusals");
        return 1;
    }
    blob = pages + page - KILN_HEADER_SIZE;
    return 0;
}

static int refuse(void)
{
    int wrong = 0;
    for (int i = 0; i < DOORS; i++) {
        kiln_status status = doors[i].call();
        printf("%s: %s\n", doors[i].name, kiln_status_text(status));
        wrong += status != KILN_BIG_ENDIAN_HOST;
    }
    return wrong != 0;
}

static int result_in_child(int door)
{
    int result = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        _exit(doors[door].call() == KILN_BIG_ENDIAN_HOST ? RETURNED_REFUSAL : RETURNED);
    }
    if (child < 0 || waitpid(child, &result, 0) != child)
        return -1;
    return WIFEXITED(result) ? WEXITSTATUS(result) : 0;
}

static int reach_payload(void)
{
    int wrong = 0;
    for (int i = 0; i < DOORS; i++) {
        int result = result_in_child(i);
        bool returned = result == RETURNED;
        if (result == RETURNED_REFUSAL || returned != (doors[i].reading == READS_NONE)) {
            printf("%s: %s\n", doors[i].name, returned ? "does not read the payload" : "fails");
            wrong++;
        }
    }
    return wrong != 0;
}

int main(int argc, char **argv)
{
    if (make_blob() != 0)
        return 1;
    if (argc > 1 && strcmp(argv[1], "refuse") == 0)
        return refuse();
    if (kiln_types_create_builtin(NULL, &builtin, NULL) != KILN_OK)
        return 1;
    int result = reach_payload();
    kiln_types_destroy(builtin);
    return result;
}
