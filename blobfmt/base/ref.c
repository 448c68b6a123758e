/* The form of a kiln_ref, for debuggers, tools and tests. The functions that dereference a kiln_ref
 * are inline in kiln/ref.h and do not need this file. */
#include <kiln/ref.h>

_Static_assert(sizeof(kiln_slot) == 16, "a ref's low half, times 4, is the offset of its slot");

kiln_ref_form kiln_ref_get_form(kiln_ref ref)
{
    if (ref.bits == 0)
        return KILN_REF_NULL;
    if (ref.bits & KILN_REF_HANDLE_BIT)
        return ref.bits & KILN_REF_STRONG_BIT ? KILN_REF_STRONG : KILN_REF_WEAK;
    return ref.bits & KILN_REF_INDIRECT_BIT ? KILN_REF_INDIRECT : KILN_REF_POINTER;
}

const char *kiln_ref_form_name(kiln_ref_form form)
{
    static const char *const names[] = {"null", "pointer", "indirect", "weak handle",
                                        "strong handle"};
    return (unsigned)form <= KILN_REF_STRONG ? names[form] : "none";
}
