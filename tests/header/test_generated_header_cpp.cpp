// The same tests as C++17, where copying a struct with relative fields does not compile.
#define HEADER_TEST_NAME "generated_header_cpp"
#include "test_generated_header.c"

#include <type_traits>

template <typename T>
constexpr bool stays_in_place = std::is_standard_layout_v<T> && !std::is_copy_constructible_v<T> &&
                                !std::is_copy_assignable_v<T> && !std::is_move_constructible_v<T>;

static_assert(stays_in_place<game_Item>);
static_assert(stays_in_place<game_Node>);
static_assert(stays_in_place<game_Effect>);
static_assert(stays_in_place<game_Names>);
static_assert(stays_in_place<game_Item_ref_array>);
static_assert(stays_in_place<kiln_string_u32_map>);
static_assert(stays_in_place<kiln_string_u32_map_entry>);
static_assert(stays_in_place<kiln_string_x2>);
static_assert(stays_in_place<game_Vec3_optional>);
static_assert(std::is_trivially_copyable_v<game_Vec3> && std::is_copy_constructible_v<game_Vec3>);
static_assert(std::is_copy_constructible_v<game_Item_ref>);
static_assert(std::is_copy_constructible_v<kiln_u8_x3>);
// Arrays of different element types are not interchangeable.
static_assert(!std::is_convertible_v<game_Vec3_array *, game_Item_ref_array *>);
static_assert(!std::is_convertible_v<game_Item_ref, kiln_id>);
