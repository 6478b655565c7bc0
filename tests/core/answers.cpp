// Answers requests on the standard input, one after the other: seven integers of 32 bits (the operation, its
// code, the formats of x and of the result, rows, columns, axes as bits), then the elements of x; all in the
// byte order of the machine. The answer is the elements of the result.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "run/elementwise.hpp"
#include "run/normalize/normalize.hpp"
#include "run/reduce/reduce.hpp"
#include "run/scans/scan.hpp"

namespace {

enum class Operation : std::int32_t { reduce, scan, normalize, unary };

struct Request {
    Operation operation;
    std::int32_t code, in, format, rows, columns, axes;
};

std::vector<char> answer(const Request& request, const std::vector<char>& x) {
    using namespace samesum;
    const Format in = static_cast<Format>(request.in), format = static_cast<Format>(request.format);
    const std::int64_t size = static_cast<std::int64_t>(size_of(in));
    const std::int64_t shape[] = {request.rows, request.columns}, strides[] = {size * request.columns, size};
    const View view{x.data(), 2, shape, strides, in, false};
    const bool reduced[] = {(request.axes & 1) != 0, (request.axes & 2) != 0};
    const int axis = reduced[0] ? 0 : 1;
    const auto room = [format](std::int64_t n) {
        return std::vector<char>(static_cast<std::size_t>(n) * size_of(format));
    };
    std::vector<char> out = room(shape[0] * shape[1]);
    switch (request.operation) {
        case Operation::reduce: {
            out = room((reduced[0] ? 1 : shape[0]) * (reduced[1] ? 1 : shape[1]));
            const Reduction row{static_cast<Map>(request.code & 15),
                                static_cast<Combine>(request.code >> 4 & 15),
                                static_cast<Finalize>(request.code >> 8), false};
            reduce(view, reduced, row, format, out.data());
            break;
        }
        case Operation::scan:
            scan(static_cast<Combine>(request.code), view, axis, {false, false, false}, format, out.data());
            break;
        case Operation::normalize:
            normalize(view, axis, static_cast<Normalization>(request.code), out.data());
            break;
        case Operation::unary:
            apply(static_cast<Unary>(request.code), view, out.data());
            break;
    }
    return out;
}

}  // namespace

int main() {
    for (Request request; std::fread(&request, sizeof request, 1, stdin) == 1;) {
        const std::size_t count =
            static_cast<std::size_t>(request.rows) * static_cast<std::size_t>(request.columns);
        std::vector<char> x(count * samesum::size_of(static_cast<samesum::Format>(request.in)));
        if (std::fread(x.data(), 1, x.size(), stdin) != x.size()) return 1;
        const std::vector<char> out = answer(request, x);
        if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size() || std::fflush(stdout) != 0)
            return 1;
    }
    return 0;
}
