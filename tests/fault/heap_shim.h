/* heap_shim reports through prctl(HEAP_SHIM_TELLS, blocks). */
#ifndef HEAP_SHIM_H
#define HEAP_SHIM_H

#define HEAP_SHIM_TELLS 0x6b696c6eUL

#endif
