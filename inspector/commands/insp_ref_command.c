/* The `ref` command: decodes the 64 bits of a reference word.
 *
 * Users find such words in a debugger or a log. The command explains the form of the word, and
 * reports a word that no program can contain. It cannot check whether the slot or address is still
 * valid. */
#include "insp_commands.h"
#include "insp_message.h"

#include <inttypes.h>
#include <kiln/ref.h>
#include <string.h>

enum { LABEL_WIDTH = 12, ADDRESS_ALIGN = 8, FIRST_PAGE = 4096, HEX_DIGITS = 16 };

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

static bool parse_digits(const char *text, unsigned base, uint64_t *ret_bits)
{
    uint64_t bits = 0;
    const char *at;
    for (at = text; *at; at++) {
        unsigned digit = (unsigned)digit_of(*at);
        if (digit >= base || bits > (UINT64_MAX - digit) / base)
            return false;
        bits = bits * base + digit;
    }
    *ret_bits = bits;
    return at != text;
}

/* Parses `0x` and digits, exactly sixteen hexadecimal digits (as in ids), or a decimal number. */
static bool parse_bits(const char *text, uint64_t *ret_bits)
{
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        return parse_digits(text + 2, 16, ret_bits);
    return parse_digits(text, strlen(text) == HEX_DIGITS ? 16 : 10, ret_bits);
}

/* The address of a root or slot, without the two low bits, which contain the form. */
static uint64_t address_of(kiln_ref ref)
{
    return ref.bits & ~(uint64_t)KILN_REF_FORM_MASK;
}

static const char *const follows[] = {
    "to nothing",
    "to the asset's root, unchecked; after a replacement, to the old bytes until they are freed",
    "to the asset's slot, unchecked; follows a replacement; null after the asset is freed",
    "to the asset while the slot has this version; the slot is not reused",
    "to the asset while the slot has this version; keeps the asset alive",
};

/* Returns why no program can contain the word; NULL if it is possible. Slots begin at version 0,
 * and filling or freeing a slot adds 1, so a slot in use has an odd version. */
static const char *find_error(kiln_ref ref)
{
    switch (kiln_ref_get_form(ref)) {
    case KILN_REF_NULL:
        return NULL;
    case KILN_REF_POINTER:
        return ref.bits < FIRST_PAGE
                   ? "the address is in the first page of memory, which is never mapped"
                   : NULL;
    case KILN_REF_INDIRECT:
        if (address_of(ref) % ADDRESS_ALIGN)
            return "the address is not a multiple of 8";
        return address_of(ref) < FIRST_PAGE
                   ? "the address is in the first page of memory, which is never mapped"
                   : NULL;
    case KILN_REF_WEAK:
    case KILN_REF_STRONG:
        if (kiln_ref_version(ref) & 1)
            return NULL;
        return kiln_ref_version(ref) ? "an even version means that the slot is free"
                                     : "version 0 means that the slot has never held an asset";
    }
    return NULL;
}

static void begin_line(insp_run *run, const char *label)
{
    insp_put_styled(&run->out, INSP_STYLE_NAME, label);
    insp_put_to_column(&run->out, LABEL_WIDTH);
}

static void print_text(insp_run *run, kiln_ref ref, const char *wrong)
{
    kiln_ref_form form = kiln_ref_get_form(ref);
    begin_line(run, "word");
    insp_putf(&run->out, "0x%016" PRIx64 "\n", ref.bits);
    begin_line(run, "form");
    insp_putf(&run->out, "%s\n", kiln_ref_form_name(form));
    if (kiln_ref_is_handle(ref)) {
        uint32_t version = kiln_ref_version(ref);
        begin_line(run, "slot");
        insp_putf(&run->out, "%" PRIu32 "\n", kiln_ref_slot_number(ref));
        begin_line(run, "version");
        insp_putf(&run->out, "%" PRIu32, version);
        if (version & 1)
            insp_putf(&run->out, ", odd: in use; earlier assets in this slot: %" PRIu32,
                      version / 2);
        else
            insp_put(&run->out, ", even: the slot is free");
        insp_put_char(&run->out, '\n');
    } else if (form != KILN_REF_NULL) {
        begin_line(run, form == KILN_REF_INDIRECT ? "slot at" : "root at");
        insp_putf(&run->out, "0x%" PRIx64 "\n", address_of(ref));
    }
    begin_line(run, wrong ? "wrong" : "refers");
    insp_put_styled(&run->out, wrong ? INSP_STYLE_BROKEN : INSP_STYLE_PLAIN,
                    wrong ? wrong : follows[form]);
    insp_put_char(&run->out, '\n');
}

static void print_json(insp_run *run, kiln_ref ref, const char *wrong)
{
    kiln_ref_form form = kiln_ref_get_form(ref);
    insp_putf(&run->out, "{\n  \"format\": 1,\n  \"bits\": \"%016" PRIx64 "\",\n  \"form\": \"%s\"",
              ref.bits, kiln_ref_form_name(form));
    if (kiln_ref_is_handle(ref))
        insp_putf(&run->out, ",\n  \"slot\": %" PRIu32 ",\n  \"version\": %" PRIu32,
                  kiln_ref_slot_number(ref), kiln_ref_version(ref));
    else if (form != KILN_REF_NULL)
        insp_putf(&run->out, ",\n  \"address\": \"%016" PRIx64 "\"", address_of(ref));
    if (wrong)
        insp_putf(&run->out, ",\n  \"wrong\": \"%s\"\n}\n", wrong);
    else
        insp_put(&run->out, ",\n  \"wrong\": null\n}\n");
}

static int explain_word(insp_run *run)
{
    const char *text = run->options.arguments[0];
    kiln_ref ref = {0};
    const char *wrong;
    if (!parse_bits(text, &ref.bits)) {
        insp_complain(run, NULL, "'%s' is not a 64-bit number; see kiln-inspect --help", text);
        return INSP_TROUBLE;
    }
    wrong = find_error(ref);
    if (insp_wants_json(run))
        print_json(run, ref, wrong);
    else
        print_text(run, ref, wrong);
    return wrong ? INSP_BAD : INSP_OK;
}

const insp_command insp_ref_command = {
    .name = "ref",
    .arguments = "BITS",
    .help = "decode a 64-bit reference word",
    .min_arguments = 1,
    .max_arguments = 1,
    .formats = "text json ",
    .run = explain_word,
};
