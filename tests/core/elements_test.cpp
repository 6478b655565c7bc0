// Functions of each element and powers, in every row of their tables, beside numbers of 64 bits or more.
#include "bounds.hpp"
#include "check.hpp"
#include "guards.hpp"
#include "reals.hpp"
#include "threads/pool.hpp"

namespace {

using namespace walk;
using samesum::Unary;

Guarded room{1 << 19}, other_room{1 << 19}, out_room{1 << 19}, buffer_room{1 << 22};

bool are_whole() {
    return room.is_whole() && other_room.is_whole() && out_room.is_whole() && buffer_room.is_whole();
}

Real exact_unary(Unary function, Real x) {
    const Real u = std::sqrt(Real{2} / std::acos(Real{-1})) * (x + Real{0.044715L} * x * x * x);
    switch (function) {
        case Unary::exponential:
            return std::exp(x);
        case Unary::logarithm:
            return std::log(x);
        case Unary::sigmoid:
            return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
        case Unary::tanh:
            return std::tanh(x);
        case Unary::erf:
            return std::erf(x);
        case Unary::gelu:
            return x * std::erfc(-x / std::sqrt(Real{2})) / 2;
        case Unary::gelu_tanh:
            return x / (1 + std::exp(-2 * u));
        case Unary::softplus:
            return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
        case Unary::sine:
            return std::sin(x);
        default:
            return std::cos(x);
    }
}

// What the numbers above are off by, of themselves.
Real error_of(Unary function, Real x) {
    const Real unit = std::numeric_limits<Real>::epsilon();
    const bool grows = function == Unary::gelu || function == Unary::gelu_tanh;
    return std::isfinite(x) ? unit * (grows ? 16 + 8 * x * x * (1 + std::fabs(x)) : 16) : 0;
}

}  // namespace

TEST_CASE("functions of each element are rounded once, whatever their number") {
    const samesum::FloatingPointScope scope;
    each_instruction_set([](const InstructionSet& set, std::size_t) {
        for (std::size_t f = 0; f < samesum::unary_count; ++f)
            for (std::size_t k = 0; k < 4; ++k) {
                const Unary function = static_cast<Unary>(f);
                const Format format = floats[k];
                const auto apply = f < samesum::first_smooth
                                       ? set.elementwise->unary[f][k]
                                       : set.smooth->unary[f - samesum::first_smooth][k];
                Random random(f);
                const Real units = format != Format::f64 ? 0 : f < samesum::first_smooth ? 0.51L : 1;
                const std::size_t size = samesum::size_of(format);
                for (const std::size_t n : lengths(260))
                    for (const Family family : families) {
                        if (n > 70 && family != Family::plain) continue;
                        const char* const x = arguments(room, random, format, family, n);
                        char* const out = out_room.take(n * size);
                        apply(x, n, out);
                        REQUIRE(are_whole());
                        for (std::size_t i = 0; i < n; ++i) {
                            const Real v = real_at(x, i, format), y = exact_unary(function, v);
                            const bool is_gelu_end =
                                std::isinf(v) && v < 0 &&
                                (function == Unary::gelu || function == Unary::gelu_tanh);
                            if (is_gelu_end) continue;  // 0 times infinity in this formula
                            const std::uint64_t found = bits_of(out + i * size, format);
                            CHECK_MESSAGE(is_right(found, y, error_of(function, v), format, units), set.name,
                                          ": function ", f, " of ", name_of(format), " ",
                                          static_cast<double>(v), ": ", found, ", not ", rounded(y, format),
                                          "; number ", i, " of ", n);
                        }
                    }
            }
    });
}

TEST_CASE("powers are rounded once, of one exponent and of many") {
    const samesum::FloatingPointScope scope;
    each_instruction_set([](const InstructionSet& set, std::size_t) {
        constexpr double exponents[] = {2, 3, -1, 0.5, -0.5, 1.0 / 3, 10, 0.1, -2.5, 7};
        for (std::size_t k = 0; k < 4; ++k) {
            const Format format = floats[k];
            Random random(k);
            const std::size_t size = samesum::size_of(format);
            for (const std::size_t n : lengths(130))
                for (const Family family :
                     {Family::plain, Family::spread, Family::whole, Family::subnormal}) {
                    const char* const x = arguments(room, random, format, family, n);
                    double* const y = reinterpret_cast<double*>(other_room.take(n * 8));
                    const double one = exponents[below(random, std::size(exponents))];
                    for (std::size_t i = 0; i < n; ++i) y[i] = exponents[below(random, std::size(exponents))];
                    char* const out = out_room.take(2 * n * size);
                    set.elementwise->power_of_one[k](x, one, n, out);
                    set.elementwise->power[k](x, y, n, out + n * size);
                    double* const wide = reinterpret_cast<double*>(buffer_room.take(n * 8));
                    set.elementwise->widen[k](x, n, wide);
                    REQUIRE(are_whole());
                    for (std::size_t i = 0; i < 2 * n; ++i) {
                        const double v = static_cast<double>(real_at(x, i % n, format)),
                                     e = i < n ? one : y[i - n];
                        const std::uint64_t found = bits_of(out + i * size, format);
                        const Real wanted = std::pow(Real{v}, Real{e});
                        CHECK_MESSAGE(is_right(found, wanted, 64 * std::numeric_limits<Real>::epsilon(),
                                               format, format == Format::f64 ? 1 : 0),
                                      set.name, ": ", name_of(format), " ", v, " to the ", e, ": ", found);
                        CHECK(wide[i % n] == v);
                    }
                }
        }
    });
}

TEST_CASE("arithmetic of up to 32 bits is rounded once, of one number and of many") {
    const samesum::FloatingPointScope scope;
    each_instruction_set([](const InstructionSet& set, std::size_t) {
        constexpr std::size_t vector = 16;
        for (std::size_t k = 0; k < samesum::arithmetic_formats; ++k)
            for (std::size_t operation = 0; operation < samesum::arithmetic_count; ++operation)
                for (const std::size_t n : lengths(130))
                    for (const Family family : {Family::plain, Family::spread, Family::subnormal}) {
                        const Format format = floats[k];
                        Random random(k + operation);
                        const char* const x = arguments(room, random, format, family, n);
                        const char* const y = arguments(other_room, random, format, Family::plain, n);
                        const std::size_t size = size_of(format);
                        char* const one = buffer_room.take(vector * size);
                        for (std::size_t i = 0; i < vector; ++i) std::memcpy(one + size * i, y, size);
                        char* const out = out_room.take(2 * size * n);
                        set.elementwise->arithmetic[operation][k](x, 1, y, 1, n, out);
                        set.elementwise->arithmetic[operation][k](x, 1, one, 0, n, out + size * n);
                        REQUIRE(are_whole());
                        for (std::size_t i = 0; i < 2 * n; ++i) {
                            const Real a = real_at(x, i % n, format), b = real_at(y, i < n ? i : 0, format);
                            const Real wanted = operation == 0   ? a + b
                                                : operation == 1 ? a - b
                                                : operation == 2 ? a * b
                                                : operation == 3 ? a / b
                                                : operation == 4 ? (a > b ? a : b)
                                                                 : (a < b ? a : b);
                            const std::uint64_t found = bits_of(out + size * i, format);
                            CHECK_MESSAGE(
                                is_right(found, wanted, 4 * std::numeric_limits<Real>::epsilon(), format, 0),
                                set.name, ": ", name_of(format), " ", operation, ": ", found);
                        }
                    }
    });
}
