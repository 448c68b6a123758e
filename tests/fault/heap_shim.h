/* heap_shim reports the number of allocated blocks to the tracer by calling prctl(HEAP_SHIM_TELLS,
 * blocks). */
#ifndef HEAP_SHIM_H
#define HEAP_SHIM_H

#define HEAP_SHIM_TELLS 0x6b696c6eUL

#endif
