/* An asset that a C++ object owns: a strong handle that ends with it.
 *
 *     game_Item_owned sword;                       // a generated header's kiln_owned<game_Item>
 *     if (sword.load(assets, "Item/sword", KILN_HERE, &error) == KILN_OK)
 *         use(sword->price);
 *
 * It moves and is not copied: another owner of the same asset is taken from its word. An empty one
 * has a null word and NULL. Owners end before their table is destroyed. Nothing is thrown.
 *
 * For C this header is <kiln/assets.h>. */
#ifndef KILN_OWNED_H
#define KILN_OWNED_H

#include <kiln/assets.h>

#ifdef __cplusplus

/* Generated headers say for each type that may be a root what it is called, and its layout:
 * `static kiln_root_type type()`. */
template <typename T> struct kiln_root_of;

template <typename T> class kiln_owned
{
  public:
    kiln_owned() noexcept = default;
    kiln_owned(const kiln_owned &) = delete;
    kiln_owned &operator=(const kiln_owned &) = delete;
    kiln_owned(kiln_owned &&from) noexcept
    {
        set(from.assets, from.word);
    }
    kiln_owned &operator=(kiln_owned &&from) noexcept
    {
        if (this != &from)
            set(from.assets, from.word);
        return *this;
    }
    ~kiln_owned()
    {
        clear();
    }

    /* kiln_assets_load of the asset with this name, or id. On success what was owned before ends;
     * on failure it stays. Changing. */
    kiln_status load(kiln_assets *from, const char *name, const char *by,
                     kiln_error *reterr) noexcept
    {
        kiln_load_args def = {};
        def.name = name;
        return load(from, def, by, reterr);
    }
    kiln_status load(kiln_assets *from, kiln_id id, const char *by, kiln_error *reterr) noexcept
    {
        kiln_load_args def = {};
        def.id = id;
        return load(from, def, by, reterr);
    }

    /* A strong handle of its own for the asset that a word of any form leads to: as
     * kiln_assets_take; TYPE_MISMATCH where it is none of T. On failure what is owned stays.
     * Changing. */
    kiln_status take(kiln_assets *from, kiln_ref ref, const char *by, kiln_error *reterr) noexcept
    {
        const kiln_root_type type = kiln_root_of<T>::type();
        kiln_ref taken = {0};
        kiln_status status = kiln_assets_take(from, ref, KILN_REF_STRONG, by, &taken);
        if (status != KILN_OK)
            return kiln_fail(reterr, status, 0, nullptr);
        if (!kiln_assets_root(from, taken, &type, reterr)) {
            kiln_assets_clear(from, &taken);
            return KILN_TYPE_MISMATCH;
        }
        set(from, taken);
        return KILN_OK;
    }

    /* Ends the handle. Any. */
    void clear() noexcept
    {
        if (word.bits)
            kiln_assets_clear(assets, &word);
    }
    /* Hands the handle on to who ends it with kiln_assets_clear. Any. */
    kiln_ref release() noexcept
    {
        return kiln_ref_move(&word);
    }

    /* The root; NULL while nothing is owned. Good until the thread is quiescent (<kiln/assets.h>).
     * Any. */
    const T *get() const noexcept
    {
        if (!word.bits)
            return nullptr;
        return static_cast<const T *>(kiln_ref_get_handle(kiln_assets_get_slots(assets), word));
    }
    const T *operator->() const noexcept
    {
        return get();
    }
    const T &operator*() const noexcept
    {
        return *get();
    }
    explicit operator bool() const noexcept
    {
        return get() != nullptr;
    }

    /* The handle, which stays this object's. */
    kiln_ref ref() const noexcept
    {
        return word;
    }

  private:
    kiln_status load(kiln_assets *from, kiln_load_args &def, const char *by,
                     kiln_error *reterr) noexcept
    {
        const kiln_root_type type = kiln_root_of<T>::type();
        kiln_ref loaded = {0};
        def.type = &type;
        def.by = by;
        kiln_status status = kiln_assets_load(from, &def, &loaded, reterr);
        if (status == KILN_OK)
            set(from, loaded);
        return status;
    }

    /* Takes the word over from its variable. */
    void set(kiln_assets *from, kiln_ref &ref) noexcept
    {
        clear();
        assets = from;
        if (ref.bits)
            kiln_assets_move(from, &ref, &word);
    }

    kiln_assets *assets = nullptr;
    kiln_ref word = {0};
};

#endif

#endif
