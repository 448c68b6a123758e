/* A C++ object that owns a strong handle to an asset and releases it in its destructor.
 *
 *     game_Item_owned sword;                       // in a generated header: kiln_owned<game_Item>
 *     if (sword.load(assets, "Item/sword", KILN_HERE, &error) == KILN_OK)
 *         use(sword->price);
 *
 * The object can be moved, not copied. To own the same asset twice, `take` a second handle from the
 * first object's word (`ref`). An empty object has the null word, and `get` returns NULL. Destroy
 * or clear all objects before their table is destroyed. No function throws. Like a plain variable,
 * an object may be used by one thread at a time.
 *
 * In C this header only includes <kiln/assets.h>. */
#ifndef KILN_OWNED_H
#define KILN_OWNED_H

#include <kiln/assets.h>

#ifdef __cplusplus

/* Name and layout of a type that can be the root of an asset. Generated headers specialize it for
 * each such type, with a function `static kiln_root_type type()`. */
template <typename T> struct kiln_root_traits;

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

    /* Loads the asset with this name or id (kiln_assets_load). On success the previous handle is
     * released; on failure it stays. Changing. */
    kiln_status load(kiln_assets *from, const char *name, const char *by,
                     kiln_error *reterr) noexcept
    {
        kiln_load_args args = {};
        args.name = name;
        return load(from, args, by, reterr);
    }
    kiln_status load(kiln_assets *from, kiln_id id, const char *by, kiln_error *reterr) noexcept
    {
        kiln_load_args args = {};
        args.id = id;
        return load(from, args, by, reterr);
    }

    /* Takes a strong handle to the asset to which a word of any form refers (kiln_assets_take).
     * TYPE_MISMATCH: the asset is not a T. On failure the previous handle stays. Changing. */
    kiln_status take(kiln_assets *from, kiln_ref ref, const char *by, kiln_error *reterr) noexcept
    {
        const kiln_root_type type = kiln_root_traits<T>::type();
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

    /* Releases the handle. Any. */
    void clear() noexcept
    {
        if (word.bits)
            kiln_assets_clear(assets, &word);
    }
    /* Returns the handle and becomes empty; the caller releases it with kiln_assets_clear. Any. */
    kiln_ref release() noexcept
    {
        return kiln_ref_move(&word);
    }

    /* The root; NULL if empty. Valid until the thread is quiescent (<kiln/assets.h>). Any. */
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

    /* The handle. The object remains its owner. */
    kiln_ref ref() const noexcept
    {
        return word;
    }

  private:
    kiln_status load(kiln_assets *from, kiln_load_args &args, const char *by,
                     kiln_error *reterr) noexcept
    {
        const kiln_root_type type = kiln_root_traits<T>::type();
        kiln_ref loaded = {0};
        args.type = &type;
        args.by = by;
        kiln_status status = kiln_assets_load(from, &args, &loaded, reterr);
        if (status == KILN_OK)
            set(from, loaded);
        return status;
    }

    /* Moves the word from its variable into this object. */
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
