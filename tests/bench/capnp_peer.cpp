#include "capnp_peer.h"

#include "level.capnp.h"

#include <capnp/message.h>
#include <capnp/serialize.h>
#include <cstdio>
#include <kj/exception.h>

namespace
{

/* Calls `work` with the level. Raises the default traversal limit, which is too small for a large
 * level. */
template <typename Work> uint64_t with_level(const void *data, size_t size, Work work)
{
    uint64_t result = 0;
    capnp::ReaderOptions options;
    options.traversalLimitInWords = UINT64_MAX;
    kj::ArrayPtr<const capnp::word> words(static_cast<const capnp::word *>(data),
                                          size / sizeof(capnp::word));
    auto failure = kj::runCatchingExceptions([&]() {
        capnp::FlatArrayMessageReader reader(words, options);
        result = work(reader.getRoot<packed::Level>());
    });
    return failure == nullptr ? result : 0;
}

uint64_t first_byte(capnp::Text::Reader text)
{
    return static_cast<unsigned char>(text.begin()[0]);
}

uint64_t walk(packed::Level::Reader level)
{
    uint64_t sum = 0;
    for (auto spawn : level.getSpawns()) {
        sum += first_byte(spawn.getName());
        sum += first_byte(spawn.getKind());
        for (auto tag : spawn.getTags())
            sum += first_byte(tag);
        for (auto entry : spawn.getLoot())
            sum += first_byte(entry.getItem());
    }
    return sum;
}

uint64_t sum_hp(packed::Level::Reader level)
{
    uint64_t sum = 0;
    for (auto spawn : level.getSpawns())
        sum += spawn.getHp();
    return sum;
}

/* Reads the fields that the other loops do not reach: positions and rotations. */
bool has_places(packed::Level::Reader level)
{
    bool good = true;
    for (auto spawn : level.getSpawns())
        good = good && spawn.hasPos() && spawn.hasRot() && spawn.getPos().getX() < 1e30f &&
               spawn.getRot().getX() < 1e30f;
    return good;
}

} // namespace

extern "C" uint64_t capnp_peer_flatten(const void *data, size_t size, const char *output)
{
    return with_level(data, size, [&](packed::Level::Reader level) -> uint64_t {
        capnp::MallocMessageBuilder builder(static_cast<unsigned>(size / sizeof(capnp::word)));
        builder.setRoot(level);
        auto words = capnp::messageToFlatArray(builder);
        auto bytes = words.asBytes();
        std::FILE *file = std::fopen(output, "wb");
        if (!file)
            return 0;
        bool good = std::fwrite(bytes.begin(), bytes.size(), 1, file) == 1;
        return std::fclose(file) == 0 && good;
    });
}

extern "C" uint64_t capnp_peer_verify(const void *data, size_t size)
{
    return with_level(data, size, [](packed::Level::Reader level) {
        return static_cast<uint64_t>(walk(level) > 0 && has_places(level));
    });
}

extern "C" uint64_t capnp_peer_sum(const void *data, size_t size)
{
    return with_level(data, size, sum_hp);
}

extern "C" uint64_t capnp_peer_walk(const void *data, size_t size)
{
    return with_level(data, size, walk);
}
