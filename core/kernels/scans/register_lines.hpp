// Short lines scanned from the elements to the prefixes in registers: squares of them are
// transposed, scanned as columns and transposed back. A pass says what becomes of each element after the
// other of `width` lines, which may be in doubt in the end: then all is written again by other ways.
#pragma once

#include "kernels/vectors/partial.hpp"
#include "kernels/vectors/transpose.hpp"
#include "kernels/vectors/vectors.hpp"
#include "methods/scan_method.hpp"

namespace samesum::SAMESUM_ISA {

template <class Pass>
struct RegisterLines {
    using Row = typename Pass::Row;  // of bits
    using Plan = typename Pass::Plan;
    static constexpr std::size_t size = sizeof(Row) / width;

    const char* x[width];
    char* out[width];
    std::size_t n;

    // `width` of the lines.
    SAMESUM_INLINE RegisterLines(const ShortScanLines& all, std::size_t first) : n(all.n) {
        for (std::size_t k = 0; k < width; ++k) {
            x[k] = all.x + static_cast<std::ptrdiff_t>(first + k) * all.pitch;
            out[k] = all.out + (first + k) * all.n * size;
        }
    }

    // Lines of width or more elements each; false if a prefix is in doubt.
    SAMESUM_INLINE bool scan(const Plan& plan) const {
        Pass pass(plan);
        std::size_t i = 0;
        for (; i + width <= n; i += width) {
            Row v[width];
            take(i, v);
            for_each_of<width>([&](std::size_t r) { v[r] = pass.take(v[r]); });
            pass.settle();
            give<true>(i, v, 0);
        }
        if (i < n) scan_last(n - width, width - (n - i), pass);
        pass.restart();
        return pass.is_certain();
    }

    // Lines of `turns` scans each, whose elements come by turns. Their states are in memory: in registers
    // each number of them would have code of its own.
    SAMESUM_INLINE bool scan_turns(const Plan& plan, std::size_t turns) const {
        Pass pass[most_turns]{Pass(plan), Pass(plan), Pass(plan), Pass(plan),
                              Pass(plan), Pass(plan), Pass(plan)};
        std::size_t turn = 0;
        for (std::size_t i = 0; i < n; i += width) {
            const std::size_t at = i < n - width ? i : n - width, done = i - at;
            Row v[width];
            take(at, v);
            for_each_of<width>([&](std::size_t r) {
                if (r >= done) {
                    v[r] = pass[turn].take(v[r]);
                    turn = turn + 1 == turns ? 0 : turn + 1;
                }
            });
            for (std::size_t k = 0; k < turns; ++k) pass[k].settle();
            if (done == 0)
                give<true>(at, v, 0);
            else
                give<false>(at, v, done);
        }
        bool certain = true;
        for (std::size_t k = 0; k < turns; ++k) {
            pass[k].restart();
            certain &= pass[k].is_certain();
        }
        return certain;
    }

    // A square of which the first rows are done.
    SAMESUM_INLINE void scan_last(std::size_t i, std::size_t done, Pass& pass) const {
        Row v[width];
        take(i, v);
        for_each_of<width>([&](std::size_t r) {
            if (r >= done) v[r] = pass.take(v[r]);
        });
        pass.settle();
        give<false>(i, v, done);
    }

    // Lines of `width` scans of `period` < width elements each.
    SAMESUM_INLINE bool scan_packed(const Plan& plan, std::size_t period) const {
        Pass pass(plan);
        std::size_t at = 0;
        for (std::size_t i = 0; i < period * width; i += width) {
            Row v[width];
            take(i, v);
            for_each_of<width>([&](std::size_t r) {
                v[r] = pass.take(v[r]);
                if (++at == period) {
                    pass.restart();
                    at = 0;
                }
            });
            give<true>(i, v, 0);
        }
        return pass.is_certain();
    }

    SAMESUM_INLINE void take(std::size_t i, Row (&v)[width]) const {
        for_each_of<width>([&](std::size_t k) { v[k] = load<Row>(x[k] + i * size); });
        Square<Row>::transpose(v);
    }

    // But for the first `done` elements of each line.
    template <bool all>
    SAMESUM_INLINE void give(std::size_t i, Row (&v)[width], std::size_t done) const {
        Square<Row>::transpose(v);
        for_each_of<width>([&](std::size_t k) {
            char* const to = out[k] + i * size;
            if constexpr (all)
                store(to, v[k]);
            else
                store_from(to, v[k], done);
        });
    }
};

}  // namespace samesum::SAMESUM_ISA
