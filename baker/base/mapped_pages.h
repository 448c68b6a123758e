/* Defines BAKE_HAVE_MAPPED_PAGES if memory may come from mappings. AddressSanitizer checks the
 * bounds of heap blocks only, so sanitized builds do not map memory. */
#ifndef BAKE_MAPPED_PAGES_H
#define BAKE_MAPPED_PAGES_H

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
#define BAKE_HAVE_MAPPED_PAGES 1
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#undef BAKE_HAVE_MAPPED_PAGES
#endif
#endif
#endif

#endif
