// e^-k for whole k, as sums of two numbers on grids so coarse that nothing is rounded when they are added.
#pragma once

#include <cstddef>

#include "kernels/vectors/vectors.hpp"

namespace samesum::SAMESUM_ISA {

// Multiples of 2^-40 and of 2^-81 whose sum is e^-k within 2^-82; the last one stands for all that follow.
// (Lemma 42)
constexpr std::size_t power_count = 58;
alignas(64) constexpr double negative_powers[power_count][2] = {{0x1.0p+0, 0x0.0p+0},
                                                                {0x1.78b56362dp-2, -0x1.0c83951484p-42},
                                                                {0x1.152aaa3bf8p-3, 0x1.cb9fdb77p-47},
                                                                {0x1.97db0cccep-5, 0x1.615d92904cp-42},
                                                                {0x1.2c155b82p-6, 0x1.3cf477e8bp-42},
                                                                {0x1.b993fe01p-8, -0x1.5644f1dd2p-43},
                                                                {0x1.44e51f12p-9, -0x1.856544fe8cp-42},
                                                                {0x1.de16b9cp-11, 0x1.254c755cccp-42},
                                                                {0x1.5fc2104p-12, 0x1.027acbbfdp-44},
                                                                {0x1.02cf226p-13, -0x1.b3574cdd52p-42},
                                                                {0x1.7cd79b8p-15, -0x1.4dc1b2b1d2p-42},
                                                                {0x1.183542p-16, 0x1.c7b3b201e4p-43},
                                                                {0x1.9c54c4p-18, -0x1.2f10dd4398p-44},
                                                                {0x1.2f605p-19, 0x1.dcc0ecc1a2p-42},
                                                                {0x1.be6c6p-21, 0x1.fb602c2422p-42},
                                                                {0x1.4875cp-22, 0x1.444fd87018p-43},
                                                                {0x1.e356p-24, -0x1.11445e8d4ap-42},
                                                                {0x1.639ep-25, 0x1.8bad344e6p-44},
                                                                {0x1.05a8p-26, -0x1.d7396605f4p-42},
                                                                {0x1.81p-28, 0x1.5bfcb15dc6p-42},
                                                                {0x1.1b4p-29, 0x1.0cabe6e4cep-42},
                                                                {0x1.a1p-31, -0x1.279791260ap-42},
                                                                {0x1.33p-32, -0x1.2dd03ba098p-42},
                                                                {0x1.c4p-34, -0x1.5b037980a8p-43},
                                                                {0x1.5p-35, -0x1.f7c380b6ecp-42},
                                                                {0x1.ep-37, 0x1.146f48bf86p-42},
                                                                {0x1.8p-38, -0x1.87ad58ff82p-42},
                                                                {0x1.0p-39, 0x1.10a530edp-44},
                                                                {0x1.0p-40, -0x1.eb03f8a4acp-43},
                                                                {0x0.0p+0, 0x1.1e642baeb8p-42},
                                                                {0x0.0p+0, 0x1.a56e0c2ac8p-44},
                                                                {0x0.0p+0, 0x1.36121e24dp-45},
                                                                {0x0.0p+0, 0x1.c8464f76p-47},
                                                                {0x0.0p+0, 0x1.4fb547c78p-48},
                                                                {0x0.0p+0, 0x1.ee001eeep-50},
                                                                {0x0.0p+0, 0x1.6b7719a4p-51},
                                                                {0x0.0p+0, 0x1.0b6c3bp-52},
                                                                {0x0.0p+0, 0x1.898472p-54},
                                                                {0x0.0p+0, 0x1.2188ad8p-55},
                                                                {0x0.0p+0, 0x1.aa0de5p-57},
                                                                {0x0.0p+0, 0x1.397924p-58},
                                                                {0x0.0p+0, 0x1.cd4808p-60},
                                                                {0x0.0p+0, 0x1.53645p-61},
                                                                {0x0.0p+0, 0x1.f36bcp-63},
                                                                {0x0.0p+0, 0x1.6f74p-64},
                                                                {0x0.0p+0, 0x1.0e5bp-65},
                                                                {0x0.0p+0, 0x1.8dd4p-67},
                                                                {0x0.0p+0, 0x1.24b8p-68},
                                                                {0x0.0p+0, 0x1.aecp-70},
                                                                {0x0.0p+0, 0x1.3dp-71},
                                                                {0x0.0p+0, 0x1.d2p-73},
                                                                {0x0.0p+0, 0x1.58p-74},
                                                                {0x0.0p+0, 0x1.f8p-76},
                                                                {0x0.0p+0, 0x1.7p-77},
                                                                {0x0.0p+0, 0x1.2p-78},
                                                                {0x0.0p+0, 0x1.8p-80},
                                                                {0x0.0p+0, 0x1.0p-81},
                                                                {0x0.0p+0, 0x0.0p+0}};
constexpr double power_error = 0x1p-82;
// Of so many elements both parts of the sum are exact.
constexpr std::size_t exact_powers = 8192;

}  // namespace samesum::SAMESUM_ISA
