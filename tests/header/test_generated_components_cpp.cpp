// The same tests as C++17.
#define COMPONENTS_TEST_NAME "generated_components_cpp"
#include "test_generated_components.c"
