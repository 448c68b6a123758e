// Entities from C++17: the inline functions read with std::atomic the fields that the library
// writes with C atomics. The macros expand to constant definitions, and C and C++ threads can share
// a world.
#include <kiln/appender.h>
#include <kiln/batch.h>
#include <kiln/commands.h>
#include <kiln/pool.h>
#include <kiln/query.h>
#include <kiln/reader.h>
#include <kiln/world.h>

#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <thread>

extern "C" {
#include <cmocka.h>
}

namespace game
{
struct alignas(16) Position {
    float x, y, z, w;
};
struct Parent {
    kiln_entity of;
};
} // namespace game

namespace
{

constexpr uint32_t parent_places[] = {offsetof(game::Parent, of)};
constexpr kiln_component_desc defs[] = {KILN_COMPONENT(game::Position), KILN_TAG(is_lit),
                                        KILN_COMPONENT_WITH_ENTITIES(game::Parent, parent_places)};
static_assert(defs[0].alignment == 16 && defs[1].size == 0 && defs[2].entity_count == 1);

struct Scene {
    kiln_world *world = nullptr;
    kiln_component position{}, lit{}, parent{};
    kiln_archetype both{}; // position and parent

    Scene()
    {
        kiln_world_def def = kiln_world_def_default();
        def.huge_pages = KILN_HUGE_PAGES_NEVER;
        assert_int_equal(KILN_OK, kiln_world_create(&def, &world));
        kiln_component *components[] = {&position, &lit, &parent};
        for (int i = 0; i < 3; i++)
            assert_int_equal(KILN_OK, kiln_component_register(world, &defs[i], components[i]));
        const kiln_component set[] = {position, parent};
        assert_int_equal(KILN_OK, kiln_archetype_register(world, set, 2, &both));
    }
    ~Scene()
    {
        kiln_world_destroy(world);
    }
    Scene(const Scene &) = delete;
    Scene &operator=(const Scene &) = delete;

    const game::Position *at(kiln_entity entity) const
    {
        return static_cast<const game::Position *>(kiln_entity_read(world, entity, position));
    }
};

void components_are_read_and_written_by_handle(void **)
{
    Scene s;
    assert_string_equal("game::Position", kiln_component_get(s.world, s.position)->name);
    kiln_entity entity, bare;
    kiln_row row;
    assert_int_equal(KILN_OK, kiln_entity_create(s.world, s.both, &entity, &row));
    *static_cast<game::Position *>(kiln_row_at(row, s.position)) = {1, 2, 3, 4};
    *static_cast<game::Parent *>(kiln_row_at(row, s.parent)) = {kiln_entity_null()};
    assert_true(s.at(entity)->w == 4);
    static_cast<game::Position *>(kiln_entity_write(s.world, entity, s.position))->x = 5;
    assert_int_equal(KILN_OK, kiln_entity_add(s.world, entity, s.lit, nullptr));
    kiln_reader positions;
    assert_int_equal(KILN_OK, kiln_reader_init(s.world, s.position, &positions));
    assert_ptr_equal(s.at(entity), kiln_reader_read(&positions, entity));
    assert_true(s.at(entity)->x == 5 && kiln_entity_has(s.world, entity, s.lit));
    assert_int_equal(KILN_OK, kiln_entity_create_empty(s.world, 1, &bare));
    assert_true(kiln_entity_exists(s.world, bare));
    assert_null(s.at(bare));
    assert_int_equal(0, kiln_entity_archetype(s.world, bare).number);
    assert_int_equal(KILN_OK, kiln_entity_destroy(s.world, entity));
    assert_false(kiln_entity_exists(s.world, entity));
    assert_null(s.at(entity));
    assert_null(kiln_reader_read(&positions, entity));
    assert_null(kiln_entity_write(s.world, entity, s.position));
}

void an_appender_writes_typed_columns(void **)
{
    constexpr uint32_t count = 3000;
    Scene s;
    kiln_appender appender;
    kiln_entity last{};
    assert_int_equal(KILN_OK, kiln_appender_open(s.world, s.both, &s.position, 1, &appender));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row;
        assert_int_equal(KILN_OK, kiln_appender_next(&appender, &last, &row));
        static_cast<game::Position *>(appender.columns[0])[row] = {1, 2, 3, static_cast<float>(i)};
        assert_true(s.at(last)->w == static_cast<float>(i));
    }
    kiln_appender_close(&appender);
    assert_true(s.at(last)->w == static_cast<float>(count - 1));
    kiln_archetype_info info;
    assert_true(kiln_archetype_get(s.world, s.both, &info));
    assert_int_equal(count, info.rows);
}

// Two threads fill a batch, then move its entities and record children. Each works on its own
// range.
void threads_fill_iterate_and_record(void **)
{
    constexpr uint32_t count = 5000, threads = 2;
    Scene s;
    kiln_batch *batch;
    assert_int_equal(KILN_OK, kiln_batch_reserve(s.world, s.both, count, &batch));
    const kiln_query_term term{s.position, KILN_TERM_WITH};
    kiln_query *query;
    assert_int_equal(KILN_OK, kiln_query_create(s.world, &term, 1, &query));
    kiln_commands *buffers[threads];
    for (auto &commands : buffers)
        assert_int_equal(KILN_OK, kiln_commands_create(s.world, nullptr, &commands));
    kiln_status statuses[threads] = {};
    const auto on_each_thread = [&](auto work) {
        std::thread other([&] { statuses[1] = work(1); });
        statuses[0] = work(0);
        other.join();
        assert_int_equal(KILN_OK, statuses[0]);
        assert_int_equal(KILN_OK, statuses[1]);
    };
    on_each_thread([&](uint32_t thread) {
        kiln_fill_args fill{nullptr, 0, true};
        kiln_status status = KILN_OK;
        for (uint32_t i = thread; i < kiln_batch_part_count(batch) && !status; i += threads)
            status = kiln_batch_fill(batch, i, &fill, nullptr);
        return status;
    });
    assert_int_equal(KILN_OK, kiln_batch_publish(batch));
    on_each_thread([&](uint32_t thread) {
        kiln_status status = KILN_OK;
        kiln_iterator walk = kiln_query_iterate_part(query, thread, threads);
        while (kiln_iterator_next(&walk) && !status) {
            auto *positions = static_cast<game::Position *>(kiln_iterator_write(&walk, s.position));
            for (uint32_t i = 0; i < walk.count; i++)
                positions[i].x += 1;
            const kiln_entity first = kiln_iterator_entity(&walk, 0);
            kiln_entity child;
            kiln_commands_set_key(buffers[thread], first.index);
            status = kiln_commands_spawn(buffers[thread], s.both, &child);
            const game::Parent parent{first};
            if (!status)
                status = kiln_commands_set(buffers[thread], child, s.parent, &parent);
        }
        return status;
    });
    const uint32_t chunks = kiln_query_chunks(query);
    assert_int_equal(KILN_OK, kiln_commands_play(s.world, buffers, threads, nullptr));
    uint32_t moved = 0, children = 0;
    for (kiln_iterator walk = kiln_query_iterate(query); kiln_iterator_next(&walk);) {
        const auto *positions =
            static_cast<const game::Position *>(kiln_iterator_read(&walk, s.position));
        const auto *parents =
            static_cast<const game::Parent *>(kiln_iterator_read(&walk, s.parent));
        for (uint32_t i = 0; i < walk.count; i++) {
            moved += positions[i].x == 1;
            children += kiln_entity_exists(s.world, parents[i].of);
        }
    }
    assert_int_equal(count, moved);
    assert_int_equal(chunks, children);
    for (auto *commands : buffers)
        kiln_commands_destroy(commands);
    kiln_query_destroy(query);
}

KILN_DEFINE_POOL_HANDLE(place, game::Position)

void a_pool_gives_typed_handles(void **)
{
    const kiln_pool_def def = place_pool_def();
    kiln_pool *pool;
    place handle;
    assert_int_equal(KILN_OK, kiln_pool_create(&def, &pool));
    assert_int_equal(KILN_OK, place_create(pool, &handle));
    place_at(pool, handle)->x = 1;
    assert_true(place_get(pool, handle)->x == 1);
    assert_int_equal(KILN_OK, place_destroy(pool, handle));
    assert_null(place_get(pool, handle));
    kiln_pool_destroy(pool);
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(components_are_read_and_written_by_handle),
        cmocka_unit_test(an_appender_writes_typed_columns),
        cmocka_unit_test(threads_fill_iterate_and_record),
        cmocka_unit_test(a_pool_gives_typed_handles),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
