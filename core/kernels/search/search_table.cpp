// Extremes and their positions, all and any: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/accumulators/extreme.hpp"
#include "kernels/loops/columns.hpp"
#include "kernels/loops/lanes.hpp"
#include "kernels/search/positions.hpp"
#include "methods/method.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

// Of `State<Key>`, or of `State<V>` for a vector of keys.
template <class Key, template <class> class State>
struct SearchTile {
    using Keys = FullVector<Key>;
    using One = State<Key>;
    static constexpr std::size_t most = columns_of(sizeof(Key));

    Key best[most + 24];
    Key size[One::has_size ? most + 24 : 1];

    template <class T>
    SAMESUM_INLINE State<T> at(std::size_t j) const {
        State<T> state;
        state.best = load<T>(best + j);
        if constexpr (One::has_size) state.size = load<T>(size + j);
        return state;
    }

    template <class T>
    SAMESUM_INLINE void put(std::size_t j, const State<T>& state) {
        store(best + j, state.best);
        if constexpr (One::has_size) store(size + j, state.size);
    }

    static SearchTile& of(void* tile) {
        static_assert(sizeof(SearchTile) <= tile_bytes);
        return *static_cast<SearchTile*>(tile);
    }

    static void init(void* tile, std::size_t n) {
        for (std::size_t j = 0; j < n; ++j) of(tile).best[j] = One::identity;
        if constexpr (One::has_size) std::memset(of(tile).size, 0, n * sizeof(Key));
    }

    SAMESUM_INLINE void take_lane(std::size_t j, const char* p, std::size_t n) {
        One all = at<Key>(j);
        all.join(state_of_lane<State, Keys>(p, n));
        put<Key>(j, all);
    }

    SAMESUM_INLINE void take_rows(const char* x, std::ptrdiff_t row_stride, std::size_t rows, std::size_t n) {
        each_of_rows<Keys>(x, row_stride, rows, n,
                           [&]<class T>(T, auto count, std::size_t, std::size_t j, const char* p)
                               SAMESUM_INLINED {
                                   State<T> all = at<T>(j);
                                   for (std::size_t r = 0; r < count; ++r)
                                       all.take(load<T>(p + static_cast<std::ptrdiff_t>(r) * row_stride));
                                   put<T>(j, all);
                               });
    }

    static void merge(void* tile, std::size_t j, const void* from, std::size_t i) {
        One all = of(tile).template at<Key>(j);
        all.join(static_cast<const SearchTile*>(from)->template at<Key>(i));
        of(tile).template put<Key>(j, all);
    }
};

// Minima and maxima.
template <class Key, bool is_real, bool maximum>
struct Extremes {
    template <class T>
    using Of = Extreme<T, Key, is_real, maximum>;
    using Tile = SearchTile<Key, Of>;

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        Tile::of(tile).take_lane(j, static_cast<const char*>(x), n);
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Tile::of(tile).take_rows(static_cast<const char*>(x), row_stride, rows, n);
    }

    template <Format format>
    static std::size_t finish(void* tile, std::size_t n, const Finish&, void* out, std::uint8_t* failed) {
        std::memset(failed, 0, n);
        for (std::size_t j = 0; j < n; ++j)
            store(static_cast<char*>(out) + j * sizeof(Key),
                  Tile::of(tile).template at<Key>(j).result_or_empty(format));
        return 0;
    }

    // Of integers, whatever their format.
    template <Format format>
    static constexpr Method method() {
        return {Tile::most,
                Tile::init,
                each_lane<lane>,
                columns,
                each_merge<Tile::merge>,
                finish < is_real ? format : Format::u64 > };
    }
};

// Whether all, or any, elements are true.
template <class Bits, bool any>
struct Logical {
    template <class T>
    using Of = Truth<T, Bits, any>;
    using Tile = SearchTile<Bits, Of>;

    // Elements of a lane, or rows of columns, between two looks at whether the rest still matters.
    static constexpr std::size_t lane_chunk = 4096 / sizeof(Bits), column_chunk = 64;

    static void lane(void* tile, std::size_t j, const void* x, std::size_t n) {
        Tile& t = Tile::of(tile);
        const char* const p = static_cast<const char*>(x);
        for (std::size_t i = 0; i < n && !t.template at<Bits>(j).is_decided(); i += lane_chunk)
            t.take_lane(j, p + i * sizeof(Bits), n - i < lane_chunk ? n - i : lane_chunk);
    }

    static void columns(void* tile, const void* x, std::ptrdiff_t row_stride, std::size_t rows,
                        std::size_t n) {
        Tile& t = Tile::of(tile);
        const char* p = static_cast<const char*>(x);
        for (std::size_t r = 0; r < rows && !all_decided(t, n); r += column_chunk) {
            t.take_rows(p, row_stride, rows - r < column_chunk ? rows - r : column_chunk, n);
            p += static_cast<std::ptrdiff_t>(column_chunk) * row_stride;
        }
    }

    static SAMESUM_INLINE bool all_decided(const Tile& t, std::size_t n) {
        std::size_t left = 0;
        for (std::size_t j = 0; j < n; ++j) left += !t.template at<Bits>(j).is_decided();
        return left == 0;
    }

    static std::size_t finish(void* tile, std::size_t n, const Finish&, void* out, std::uint8_t* failed) {
        std::memset(failed, 0, n);
        for (std::size_t j = 0; j < n; ++j) static_cast<std::uint8_t*>(out)[j] = Tile::of(tile).best[j] != 0;
        return 0;
    }

    static constexpr Method method() {
        return {Tile::most, Tile::init, each_lane<lane>, columns, each_merge<Tile::merge>, finish};
    }
};

template <class Key, Format format>
constexpr void fill(SearchMethods& m) {
    constexpr bool is_real = is_float(format);
    constexpr std::size_t index = static_cast<std::size_t>(format);
    using Unsigned = std::make_unsigned_t<Key>;
    using Number = std::conditional_t<is_unsigned(format), Unsigned, Key>;
    using Bits = std::conditional_t<is_real, Key, Unsigned>;
    m.extreme[index][0] = Extremes<Number, is_real, false>::template method<format>();
    m.extreme[index][1] = Extremes<Number, is_real, true>::template method<format>();
    m.logical[index][0] = Logical<Bits, false>::method();
    m.logical[index][1] = Logical<Bits, true>::method();
    Method(&position)[2][2] = m.position[index];
    position[0][0] = Position<Key, is_real, false>::template method<format, false>();
    position[0][1] = Position<Key, is_real, true>::template method<format, false>();
    position[1][0] = Position<Key, is_real, false>::template method<format, true>();
    position[1][1] = Position<Key, is_real, true>::template method<format, true>();
}

constexpr SearchMethods all_searches() {
    SearchMethods m{};
    fill<std::int16_t, Format::f16>(m);
    fill<std::int16_t, Format::bf16>(m);
    fill<std::int32_t, Format::f32>(m);
    fill<std::int64_t, Format::f64>(m);
    fill<std::int8_t, Format::i8>(m);
    fill<std::int16_t, Format::i16>(m);
    fill<std::int32_t, Format::i32>(m);
    fill<std::int64_t, Format::i64>(m);
    fill<std::int8_t, Format::u8>(m);
    fill<std::int16_t, Format::u16>(m);
    fill<std::int32_t, Format::u32>(m);
    fill<std::int64_t, Format::u64>(m);
    return m;
}

extern const SearchMethods searches;
const SearchMethods searches = all_searches();

}  // namespace samesum::SAMESUM_ISA
