// Scans of floats into all float formats: the elements are scanned as numbers of the least format that holds
// them and the prefixes.
#pragma once

#include <initializer_list>

#include "kernels/scans/line_scan.hpp"
#include "kernels/vectors/vectors.hpp"
#include "methods/method.hpp"
#include "methods/scan_method.hpp"

namespace samesum::SAMESUM_ISA {

// Writes whole vectors of the numbers of `F` as those of `Wide`.
template <class F, class Wide>
SAMESUM_APART void widen_run(const char* p, std::size_t n, char* to) {
    for (std::size_t i = 0; i < n; i += width) {
        char padded[width * F::size];
        const char* at = p + i * F::size;
        if (n - i < width) {
            pad<F>(at, n - i, padded);
            at = padded;
        }
        if constexpr (Wide::format == Format::f64)
            store(to + i * Wide::size, F::doubles(at));
        else
            store(to + i * Wide::size, F::floats(at));
    }
}

// The numbers of `F` as those of `Wide`, a block at a time; `Scan` is one of FloatScan, RealProductScan.
template <template <class> class Scan, class F, class Wide>
struct WidenedScan {
    static_assert(F::format != Wide::format && holds(Wide::format, F::format));
    using Own = Scan<Wide>;
    static constexpr auto widen_all = widen_run<F, Wide>;

    static Carry total(const void* x, std::size_t n) {
        alignas(64) char elements[(scan_elements + width) * Wide::size];
        widen_all(static_cast<const char*>(x), n, elements);
        return Own::total(elements, n);
    }

    static std::size_t row(const Carry& carry, const Carry& part, const void* x, std::size_t n, Format format,
                           void* out, std::uint8_t* failed) {
        alignas(64) char elements[(scan_elements + width) * Wide::size];
        widen_all(static_cast<const char*>(x), n, elements);
        return Own::row(carry, part, elements, n, format, out, failed);
    }

    static std::size_t columns(void* tile, const ScanRows& all) {
        constexpr std::size_t pitch = tile_pitch * Wide::size;
        alignas(64) char elements[scan_rows * pitch];
        for (std::size_t r = 0; r < all.rows; ++r)
            widen_all(all.x + static_cast<std::ptrdiff_t>(r) * all.in, all.n, elements + r * pitch);
        ScanRows rows = all;
        rows.x = elements;
        rows.in = pitch;
        return Own::Columns::columns(tile, rows);
    }

    static std::size_t lines(void* tile, const ScanLines& all) {
        constexpr std::size_t pitch = (scan_elements + width) * Wide::size;
        alignas(64) char elements[scan_lines * pitch];
        const char* x[scan_lines];
        for (std::size_t k = 0; k < all.lines; ++k) {
            x[k] = elements + k * pitch;
            widen_all(all.x[k], all.n, elements + k * pitch);
        }
        ScanLines lines = all;
        lines.x = x;
        return Own::Lines::lines(tile, lines);
    }

    static std::size_t short_lines(const ShortScanLines& all) {
        constexpr std::size_t most = 32 * short_line;
        alignas(64) char elements[(most + width) * Wide::size];
        const std::size_t together = most / all.n / width * width;
        std::size_t failures = 0;
        for (std::size_t first = 0; first < all.lines; first += together) {
            const std::size_t count = all.lines - first < together ? all.lines - first : together;
            const std::size_t pitch = all.n * Wide::size;
            const char* p = all.x + static_cast<std::ptrdiff_t>(first) * all.pitch;
            if (all.pitch == static_cast<std::ptrdiff_t>(all.n * F::size)) {
                widen_all(p, count * all.n, elements);
            } else {
                for (std::size_t k = 0; k < count; ++k, p += all.pitch)
                    widen_all(p, all.n, elements + k * pitch);
            }
            const std::size_t before = first * all.n;
            const ShortScanLines some{elements,
                                      static_cast<std::ptrdiff_t>(pitch),
                                      all.out + first * pitch,
                                      count,
                                      all.n,
                                      all.format,
                                      all.failed + before};
            failures = joined_failures(all.failed, before, failures, count * all.n,
                                       Own::ShortLines::short_lines(some));
        }
        return failures;
    }

    static constexpr ScanMethod method(Format to) {
        ScanMethod m = Own::method(to);
        m.total = total;
        m.row = row;
        m.columns = columns;
        m.short_columns = nullptr;
        m.takes_tall = false;
        if (to == Wide::format) {
            m.lines = lines;
            m.short_lines = short_lines;
        }
        return m;
    }
};

template <template <class> class Scan, class F>
constexpr void fill_scan(ScanMethod (&of_format)[4], Format to) {
    ScanMethod& m = of_format[static_cast<std::size_t>(to)];
    const Format scanned = common_format(F::format, to);
    if (scanned == F::format)
        m = Scan<F>::method(to);
    else if (scanned == Format::f64)
        m = WidenedScan<Scan, F, Float64>::method(to);
    else if constexpr (F::size < Float32::size)
        m = WidenedScan<Scan, F, Float32>::method(to);
}

// Rows of methods for each format of the elements, in which there is one for each format of the prefixes.
template <template <class> class Scan>
constexpr void fill_scans(ScanMethod (&methods)[4][4]) {
    for (const Format to : {Format::f16, Format::bf16, Format::f32, Format::f64}) {
        fill_scan<Scan, Float16>(methods[0], to);
        fill_scan<Scan, Bfloat16>(methods[1], to);
        fill_scan<Scan, Float32>(methods[2], to);
        methods[3][static_cast<std::size_t>(to)] = Scan<Float64>::method(to);
    }
}

}  // namespace samesum::SAMESUM_ISA
