#include "checked_content.h"

#include "record_bytes.h"

#include <string.h>
#include <unistd.h>

enum { BODY_SIZE = 2 * RECORD_NUMBER };

static void put_hash(unsigned char body[BODY_SIZE], kiln_hash128 content)
{
    record_store(body, content.low);
    record_store(body + RECORD_NUMBER, content.high);
}

static bake_cache_key key_of(const char *identity, kiln_hash128 content)
{
    static const char purpose[] = "checked 2";
    const uint64_t user = geteuid();
    unsigned char bytes[BODY_SIZE];
    hash_stream stream;
    put_hash(bytes, content);
    kiln_hash_stream_begin(&stream);
    kiln_hash_stream_add(&stream, purpose, sizeof purpose);
    kiln_hash_stream_add(&stream, &user, sizeof user);
    kiln_hash_stream_add(&stream, bytes, sizeof bytes);
    kiln_hash_stream_add(&stream, identity, strlen(identity));
    return (bake_cache_key){BAKE_CACHE_RESULT, kiln_hash_stream_end128(&stream)};
}

bool bake_checked_find(bake_cache *cache, const char *identity, kiln_hash128 content)
{
    cache_bytes bytes = {0};
    unsigned char expected[BODY_SIZE];
    put_hash(expected, content);
    if (!bake_cache_has_local(cache) ||
        !bake_cache_get(cache, 0, key_of(identity, content), BODY_SIZE, &bytes))
        return false;
    bool is_found = bytes.is_ours && bytes.size == BODY_SIZE &&
                    memcmp(bake_cache_bytes_at(&bytes), expected, BODY_SIZE) == 0;
    bake_cache_bytes_fini(&bytes);
    return is_found;
}

void bake_checked_keep(bake_cache *cache, const char *identity, kiln_hash128 content)
{
    unsigned char body[BODY_SIZE];
    put_hash(body, content);
    bake_cache_put_own(cache, key_of(identity, content), body, BODY_SIZE);
}
