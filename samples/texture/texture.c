/* Opens a file of textures and sounds, and reads their payloads: texture [FILE] */
#include "texture.h"

#include <kiln/payloads.h>
#include <stdio.h>

static int failed(const kiln_error *error)
{
    char text[KILN_ERROR_TEXT_SIZE];
    kiln_error_format(error, text, sizeof text);
    fprintf(stderr, "texture: %s\n", text);
    return 1;
}

/* The pixels are in the mapped file, at a multiple of 4,096, so nothing is copied. */
static kiln_status print_texture(kiln_file *file, const char *name, kiln_error *reterr)
{
    kiln_payload_data pixels;
    const art_Texture *texture = art_Texture_find(file, name, reterr);
    if (!texture)
        return reterr->status;
    kiln_asset asset = kiln_file_find_id(file, texture->pixels.id);
    kiln_status status = kiln_payload_open(file, asset, &pixels, reterr);
    if (status)
        return status;
    const unsigned char *at = pixels.data;
    uint64_t width = texture->width ? texture->width : 1;
    for (uint64_t i = 0; at && i < pixels.size; i++)
        printf("%3u%c", at[i], (i + 1) % width ? ' ' : '\n');
    return KILN_OK;
}

/* Decompresses only the frame that contains the bytes from 5,000 on. */
static kiln_status print_samples(kiln_file *file, const char *name, kiln_error *reterr)
{
    char bytes[9];
    kiln_payload_data samples;
    const art_Sound *sound = art_Sound_find(file, name, reterr);
    if (!sound)
        return reterr->status;
    kiln_asset asset = kiln_file_find_id(file, sound->samples.id);
    kiln_status status = kiln_payload_open(file, asset, &samples, reterr);
    if (!status)
        status = kiln_payload_read(&samples, 5000, bytes, sizeof bytes, reterr);
    if (!status)
        printf("%llu bytes: ... %.9s ...\n", (unsigned long long)samples.size, bytes);
    return status;
}

int main(int argc, char **argv)
{
    kiln_file_def def = kiln_file_def_default();
    kiln_file *file = NULL;
    kiln_error error;
    def.path = argc > 1 ? argv[1] : "textures.kiln";
    kiln_status status = kiln_file_open(&def, &file, &error);
    if (!status)
        status = print_texture(file, "Texture/smile", &error);
    if (!status)
        status = print_samples(file, "Sound/steps", &error);
    kiln_file_close(file);
    return status ? failed(&error) : 0;
}
