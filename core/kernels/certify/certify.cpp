// The rounding tests of totals in memory; compiled as table.cpp is.
#include "kernels/certify/words.hpp"

namespace samesum::SAMESUM_ISA {

template <template <Format, Finalize> class Test, Format format, Finalize finalize>
static std::size_t certify_all(const Totals& t, std::size_t n, const Finish& how, void* out,
                               std::uint8_t* failed) {
    return write_verdicts<format>(n, out, failed, [&](std::size_t j) {
        return Test<format, finalize>::of(load<Doubles>(t.hi + j), load<Doubles>(t.lo + j),
                                          load<Doubles>(t.bound + j), counts_at(how, j));
    });
}

template <template <Format, Finalize> class Test, Format format>
static std::size_t certify_in(const Totals& t, std::size_t n, const Finish& how, void* out,
                              std::uint8_t* failed) {
    switch (how.finalize) {
        case Finalize::over_count:
            return certify_all<Test, format, Finalize::over_count>(t, n, how, out, failed);
        case Finalize::root:
            return certify_all<Test, format, Finalize::root>(t, n, how, out, failed);
        case Finalize::logarithm:
            return certify_all<Test, format, Finalize::logarithm>(t, n, how, out, failed);
        default:
            return certify_all<Test, format, Finalize::itself>(t, n, how, out, failed);
    }
}

std::size_t certify_interval(const Totals& t, std::size_t n, const Finish& how, void* out,
                             std::uint8_t* failed) {
    return in_float_format(how.format, [&]<Format format>() -> std::size_t {
        if constexpr (format == Format::f64) {
            return n;
        } else {
            return certify_in<IntervalTest, format>(t, n, how, out, failed);
        }
    });
}

std::size_t certify_words(const Totals& t, std::size_t n, const Finish& how, void* out,
                          std::uint8_t* failed) {
    return in_float_format(
        how.format, [&]<Format format>() { return certify_in<WordsTest, format>(t, n, how, out, failed); });
}

}  // namespace samesum::SAMESUM_ISA
