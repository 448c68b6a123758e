/* Two independent versions.
 *
 * KILN_VERSION_* is the version of Kiln: of the headers, the library and the two programs.
 * meson.build, kiln.pc and CHANGELOG.md state the same version.
 *
 * KILN_FORMAT_* is the version of the file format: of FORMAT.md, and of the header of each blob
 * that this version of Kiln writes. A reader accepts every minor version of its major version, and
 * refuses every other major version. */
#ifndef KILN_VERSION_H
#define KILN_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_VERSION_MAJOR 0
#define KILN_VERSION_MINOR 1
#define KILN_VERSION_PATCH 0

#define KILN_FORMAT_MAJOR 0
#define KILN_FORMAT_MINOR 5

/* The two versions as strings, "MAJOR.MINOR.PATCH" and "MAJOR.MINOR". */
#define KILN_VERSION_TEXT                                                                          \
    KILN_VERSION_DIGITS(KILN_VERSION_MAJOR)                                                        \
    "." KILN_VERSION_DIGITS(KILN_VERSION_MINOR) "." KILN_VERSION_DIGITS(KILN_VERSION_PATCH)
#define KILN_FORMAT_TEXT                                                                           \
    KILN_VERSION_DIGITS(KILN_FORMAT_MAJOR) "." KILN_VERSION_DIGITS(KILN_FORMAT_MINOR)
#define KILN_VERSION_DIGITS(number) KILN_VERSION_DIGITS_(number)
#define KILN_VERSION_DIGITS_(number) #number

/* Return KILN_VERSION_TEXT and KILN_FORMAT_TEXT of the library that the program runs with. These
 * differ from the macros if the program was compiled with headers of a different version. The
 * strings are static. Any thread. */
const char *kiln_version(void);
const char *kiln_format_version(void);

#ifdef __cplusplus
}
#endif

#endif
