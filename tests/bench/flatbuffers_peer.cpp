#include "flatbuffers_peer.h"

#include "level_generated.h"

#include <cstdio>
#include <vector>

extern "C" uint64_t flatbuffers_peer_verify(const void *data, size_t size)
{
    /* The default limit of a million tables is too small for a large level. */
    flatbuffers::Verifier verifier(static_cast<const uint8_t *>(data), size, 64, 100000000);
    return peer::VerifyLevelBuffer(verifier) ? 1 : 0;
}

extern "C" uint64_t flatbuffers_peer_sum(const void *data, size_t)
{
    uint64_t sum = 0;
    for (const peer::Spawn *spawn : *peer::GetLevel(data)->spawns())
        sum += spawn->hp();
    return sum;
}

static uint64_t first_byte(const flatbuffers::String *text)
{
    return static_cast<unsigned char>(text->c_str()[0]);
}

extern "C" uint64_t flatbuffers_peer_walk(const void *data, size_t)
{
    uint64_t sum = 0;
    for (const peer::Spawn *spawn : *peer::GetLevel(data)->spawns()) {
        sum += first_byte(spawn->name());
        sum += first_byte(spawn->kind());
        for (const flatbuffers::String *tag : *spawn->tags())
            sum += first_byte(tag);
        for (const peer::Loot *entry : *spawn->loot())
            sum += first_byte(entry->item());
    }
    return sum;
}

typedef flatbuffers::FlatBufferBuilder builder;

static flatbuffers::Offset<flatbuffers::String> share(builder &to, const flatbuffers::String *text)
{
    return to.CreateSharedString(text->c_str(), text->size());
}

static flatbuffers::Offset<peer::Spawn> copy_spawn(builder &to, const peer::Spawn *from)
{
    std::vector<flatbuffers::Offset<flatbuffers::String>> tags;
    std::vector<flatbuffers::Offset<peer::Loot>> loot;
    for (const flatbuffers::String *tag : *from->tags())
        tags.push_back(share(to, tag));
    for (const peer::Loot *entry : *from->loot())
        loot.push_back(peer::CreateLoot(to, share(to, entry->item()), entry->count()));
    auto name = share(to, from->name()), kind = share(to, from->kind());
    auto tag_list = to.CreateVector(tags);
    auto loot_list = to.CreateVector(loot);
    return peer::CreateSpawn(to, name, from->pos(), from->rot(), from->hp(), tag_list, kind,
                             loot_list);
}

extern "C" uint64_t flatbuffers_peer_share(const void *data, size_t size, const char *output)
{
    builder to(size);
    std::vector<flatbuffers::Offset<peer::Spawn>> spawns;
    for (const peer::Spawn *spawn : *peer::GetLevel(data)->spawns())
        spawns.push_back(copy_spawn(to, spawn));
    to.Finish(peer::CreateLevel(to, to.CreateVector(spawns)));
    std::FILE *file = std::fopen(output, "wb");
    if (!file)
        return 0;
    bool good = std::fwrite(to.GetBufferPointer(), to.GetSize(), 1, file) == 1;
    return std::fclose(file) == 0 && good;
}
