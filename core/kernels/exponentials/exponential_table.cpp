// Sums of exponentials: the methods of one instruction set, compiled as table.cpp is.
#include "kernels/accumulators/double_words.hpp"
#include "kernels/exponentials/exponential_sum.hpp"
#include "kernels/vectors/fold.hpp"
#include "methods/tables.hpp"

namespace samesum::SAMESUM_ISA {

// Sums of exponentials of a single set in double-words of 90 bits, for what those of 68 leave open.

// Below this low words of exponentials are not normal, and the exponentials less than 2^-973: they count as
// zero. (Lemma 41)
constexpr double least_precise_power = -675;
constexpr double precise_term_error = 0x1p-90, precise_vanished = 0x1p-973;

struct ExponentialPrefixes {
    using Terms = ExponentialTerms<Float64>;
    using Lane = DoubleWords<false>;

    static void add(ExponentialPrefix& state, const double* p, std::size_t n) {
        const Doubles none = {}, top = none + state.top;
        Doubles equal = {}, lost = {};
        Lane lane = {};
        for (std::size_t i = 0; i < n; i += width) {
            const Doubles x = Terms::element(reinterpret_cast<const char*>(p + i), n - i);
            Doubles d, error;
            two_sum(x, -top, d, error);
            const Longs at_top = x == top, counts = (d >= least_precise_power) & ~at_top;
            const DoubleWord term = exponential<90>(d, error);
            equal += at_top ? none + 1 : none;
            lost += (d < least_precise_power) & (x > -infinity) ? none + 1 : none;
            lane.add(counts ? term.hi : none);
            lane.add_rest(counts ? term.lo : none);
        }
        lane = folded_alone(lane);
        const double depth = static_cast<double>(2 * prefix_elements / width + 24);
        const double rounding = lane.sizes[0] * depth * (0x1p-53 * 1.01);
        for (std::size_t k = 0; k < width; ++k) {
            state.equal += equal[k];
            state.others.bound += lost[k] * precise_vanished;
        }
        samesum::add(state.others,
                     {lane.sum[0], lane.rest[0], rounding + lane.sum[0] * (precise_term_error * 1.01)});
    }

    static double greatest(const double* p, std::size_t n) {
        return ExponentialSum<Float64>::greatest_of(reinterpret_cast<const char*>(p), n)[0];
    }

    static bool finish(const ExponentialPrefix& state, Format format, void* out) {
        const Doubles all[] = {Doubles{} + state.top, Doubles{} + state.equal, Doubles{} + state.others.hi,
                               Doubles{} + state.others.lo, Doubles{} + state.others.bound};
        const auto at = [&](std::size_t i) { return reinterpret_cast<const double*>(all + i); };
        std::uint8_t failed[1];
        return certify_exponentials<88>({at(0), at(1), at(2), at(3), at(4)}, 1, format, out, failed) == 0;
    }

    static constexpr ExponentialPrefixMethods methods() { return {add, greatest, finish}; }
};

extern const ExponentialMethods exponentials;
const ExponentialMethods exponentials{{ExponentialSum<Float16>::method(), ExponentialSum<Bfloat16>::method(),
                                       ExponentialSum<Float32>::method()},
                                      ExponentialSum<Float64>::method(),
                                      ExponentialPrefixes::methods()};

}  // namespace samesum::SAMESUM_ISA
