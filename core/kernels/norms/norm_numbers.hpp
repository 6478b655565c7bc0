// Scales and biases of normalizations as doubles, and how large they are.
#pragma once

#include "kernels/norms/norm_singles.hpp"
#include "kernels/norms/spread.hpp"

namespace samesum::SAMESUM_ISA {

struct NormNumbers {
    template <class F>
    static void widen(const char* p, std::size_t n, double* to) {
        const Doubles zero = {};
        std::size_t i = 0;
        for (; i + width <= n; i += width) store(to + i, F::doubles(p + i * F::size) + zero);
        if (i == n) return;
        const Doubles last = first_doubles<F>(p + i * F::size, n - i) + zero;
        std::memcpy(to + i, &last, (n - i) * sizeof(double));
    }

    template <class Integer>
    static void widen_integers(const char* p, std::size_t n, double* to) {
        for (std::size_t i = 0; i < n; ++i) to[i] = double_or_nan(load<Integer>(p + i * sizeof(Integer)));
    }

    static SAMESUM_INLINE Doubles in_range(Doubles x) {
        const Doubles zero = {}, size = samesum::SAMESUM_ISA::magnitude(x);
        const Longs fits = ((size > 0x1p-400) & (size < 0x1p400)) | (size == 0);
        return fits ? size : zero + __builtin_nan("");
    }

    static double greatest(const double* p, std::size_t n) {
        Doubles most = {}, flaw = {};
        for (std::size_t i = 0; i < n; i += width) {
            Doubles x = {};
            if (n - i >= width)
                x = load<Doubles>(p + i);
            else
                std::memcpy(&x, p + i, (n - i) * sizeof(double));
            const Doubles size = in_range(x);
            most = size > most ? size : most;
            flaw += size * 0;
        }
        double greatest = 0;
        for (std::size_t k = 0; k < width; ++k) greatest = most[k] > greatest ? most[k] : greatest;
        for (std::size_t k = 0; k < width; ++k) greatest += flaw[k];
        return greatest;
    }

    static bool narrow(const double* p, std::size_t n, float* to) {
        bool is_exact = true;
        for (std::size_t i = 0; i < n; ++i) {
            to[i] = static_cast<float>(p[i]);
            const double size = samesum::magnitude(p[i]);
            is_exact &= (static_cast<double>(to[i]) == p[i]) &
                        ((size == 0) | ((size >= least_single) & (size <= most_single)));
        }
        return is_exact;
    }
};

}  // namespace samesum::SAMESUM_ISA
