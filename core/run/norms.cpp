#include "run/norms.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "arithmetic/rounding.hpp"
#include "exact/elements.hpp"
#include "exact/norm.hpp"
#include "kernels/instruction_set.hpp"
#include "layout/copy.hpp"
#include "layout/stream.hpp"
#include "run/exact_sums.hpp"
#include "run/norm_scale.hpp"
#include "run/room.hpp"
#include "threads/pool.hpp"
#include "threads/thresholds.hpp"

namespace samesum {

namespace {

// Bytes of the lines of a task, and neighbours that are gathered together.
constexpr std::int64_t task_bytes = 256 << 10, gathered_lines = 64;

double element_at(const char* x, std::size_t i, Format format) {
    return in_float_format(format, [&]<Format f>() {
        const Element e = float_at<f>(x + i * size_of(f));
        const double size = __builtin_ldexp(static_cast<double>(e.significand), e.exponent);
        return e.negative ? -size : size;
    });
}

class Job {
  public:
    explicit Job(const NormCall& call)
        : call_(call),
          dims_(call),
          scales_(call.x, call.lines, call.scale, call.bias),
          methods_(*current_instruction_set().norms),
          format_(static_cast<std::size_t>(call.x.format)),
          item_(static_cast<std::int64_t>(size_of(call.x.format))),
          result_(static_cast<std::int64_t>(size_of(call.format))),
          n_(static_cast<std::size_t>(dims_.length)) {}

    void run() const {
        const std::int64_t bytes = dims_.length * item_;
        const std::int64_t together = static_cast<std::int64_t>(norm_lines);
        std::int64_t batch =
            std::max((task_bytes / bytes + together - 1) / together, std::int64_t{1}) * together;
        const std::int64_t elements = dims_.count * dims_.length;
        const bool threaded = elements >= normalization_threaded_elements;
        const auto threads = threaded ? static_cast<std::size_t>(thread_count()) : 1;
        batch = std::min(batch, (dims_.count + static_cast<std::int64_t>(2 * threads) - 1) /
                                    static_cast<std::int64_t>(2 * threads));
        const BriefWork brief(elements < normalization_brief_elements);
        auto task = [&](std::size_t t, std::size_t) {
            const std::int64_t first = static_cast<std::int64_t>(t) * batch;
            take(first, std::min(batch, dims_.count - first));
        };
        for_each_task(static_cast<std::size_t>((dims_.count + batch - 1) / batch), threads, task);
    }

  private:
    struct LineDims {
        Dims kept, reduced;
        std::int64_t count = 1, length = 1;
        bool direct;

        explicit LineDims(const NormCall& call) {
            std::int64_t stride = static_cast<std::int64_t>(size_of(call.format));
            const View& x = call.x;
            for (int i = x.rank - 1; i >= 0; --i) {
                const Dim d{x.shape[i], x.strides[i], stride};
                stride *= d.size;
                (call.lines[i] ? length : count) *= d.size;
                if (d.size != 1) (call.lines[i] ? reduced : kept).push(d);
            }
            std::reverse(kept.dim, kept.dim + kept.rank);
            std::reverse(reduced.dim, reduced.dim + reduced.rank);
            merge_neighbours(reduced);
            const Dim one = reduced.rank > 0 ? reduced.dim[0] : Dim{1, 0, 0};
            const bool is_run = one.in == static_cast<std::int64_t>(size_of(x.format)) &&
                                one.out == static_cast<std::int64_t>(size_of(call.format));
            direct = !x.swapped && reduced.rank <= 1 && (length == 1 || is_run);
        }
        Dim side() const { return kept.rank > 0 ? kept.dim[kept.rank - 1] : Dim{1, 0, 0}; }
    };

    bool streams() const { return dims_.count * dims_.length * result_ >= streamed_bytes; }

    void take(std::int64_t first, std::int64_t count) const {
        if (dims_.direct) {
            take_direct(first, count);
        } else {
            const std::int64_t most =
                std::clamp<std::int64_t>(2 * task_bytes / (dims_.length * item_), 1, gathered_lines);
            for (std::int64_t i = 0; i < count;) {
                const std::int64_t side = dims_.side().size,
                                   now = std::min({most, count - i, side - (first + i) % side});
                take_gathered(first + i, now);
                i += now;
            }
        }
        finish_streams();
    }

    void take_direct(std::int64_t first, std::int64_t count) const {
        const char* x[norm_lines];
        char* out[norm_lines];
        Walk walk(dims_.kept, first);
        for (std::int64_t i = 0; i < count;) {
            std::size_t some = 0;
            for (; some < norm_lines && i + static_cast<std::int64_t>(some) < count; ++some, walk.next()) {
                x[some] = call_.x.data + walk.in();
                out[some] = static_cast<char*>(call_.out) + walk.out();
            }
            take_some(first + i, some, x, out, streams());
            i += static_cast<std::int64_t>(some);
        }
    }

    // Neighbouring lines, element by element where it is they that lie side by side.
    void take_gathered(std::int64_t first, std::int64_t count) const {
        const std::int64_t pitch = dims_.length * item_ + 64, to = dims_.length * result_ + 64;
        const Room room(static_cast<std::size_t>(count * (pitch + to)));
        char* const results = room.get() + count * pitch;
        const Offsets at = offsets_at(dims_.kept, first);
        move(call_.x.data + at.in, room.get(), pitch, count);
        const char* x[norm_lines];
        char* out[norm_lines];
        for (std::int64_t i = 0; i < count; i += static_cast<std::int64_t>(norm_lines)) {
            const std::size_t some = static_cast<std::size_t>(
                std::min<std::int64_t>(static_cast<std::int64_t>(norm_lines), count - i));
            for (std::size_t k = 0; k < some; ++k) {
                x[k] = room.get() + (i + static_cast<std::int64_t>(k)) * pitch;
                out[k] = results + (i + static_cast<std::int64_t>(k)) * to;
            }
            take_some(first + i, some, x, out, false);
        }
        put(results, to, static_cast<char*>(call_.out) + at.out, count);
    }

    // each(run of elements of a line: where it is in the line, its dimension, offsets)
    template <class Each>
    void each_run(const Each& each) const {
        Dims outer = dims_.reduced;
        const Dim run = outer.rank > 0 ? outer.dim[--outer.rank] : Dim{1, 0, 0};
        Walk walk(outer, 0);
        for (std::int64_t i = 0; i < dims_.length; i += run.size, walk.next())
            each(i, run, Offsets{walk.in(), walk.out()});
    }

    void move(const char* from, char* to, std::int64_t pitch, std::int64_t count) const {
        const Dim side = dims_.side();
        const std::size_t size = static_cast<std::size_t>(item_);
        const bool swapped = call_.x.swapped;
        each_run([&](std::int64_t i, const Dim& run, Offsets at) {
            const char* const here = from + at.in;
            char* const there = to + i * item_;
            if (count < 4 || std::abs(run.in) <= std::abs(side.in)) {
                for (std::int64_t k = 0; k < count; ++k)
                    gather(here + k * side.in, run.in, static_cast<std::size_t>(run.size), size, swapped,
                           there + k * pitch);
                return;
            }
            for (std::int64_t k = 0; k < run.size; ++k)
                copy_elements(here + k * run.in, side.in, there + k * item_, pitch,
                              static_cast<std::size_t>(count), size, swapped);
        });
    }

    void put(const char* results, std::int64_t pitch, char* to, std::int64_t count) const {
        const Dim side = dims_.side();
        const std::size_t size = static_cast<std::size_t>(result_);
        each_run([&](std::int64_t i, const Dim& run, Offsets at) {
            const char* const from = results + i * result_;
            if (count < 4 || run.out <= side.out) {
                for (std::int64_t k = 0; k < count; ++k)
                    scatter(from + k * pitch, static_cast<std::size_t>(run.size), size,
                            to + at.out + k * side.out, run.out);
                return;
            }
            for (std::int64_t k = 0; k < run.size; ++k)
                copy_elements(from + k * result_, pitch, to + at.out + k * run.out, side.out,
                              static_cast<std::size_t>(count), size, false);
        });
    }

    // Up to norm_lines contiguous lines, from number `first` on.
    void take_some(std::int64_t first, std::size_t count, const char* const* x, char* const* out,
                   bool streamed) const {
        NormLine lines[norm_lines];
        const bool is_own = call_.format == call_.x.format;
        if (is_own) methods_.measure[format_](call_.row, x, n_, count, lines);
        for (std::size_t k = 0; k < count; ++k) {
            const std::int64_t number = first + static_cast<std::int64_t>(k);
            NormLine& line = lines[k];
            line.is_known &= is_own;
            finish(number, line, x[k], out[k], streamed);
        }
    }

    // The exact sums of a line, made where the first result asks for them.
    class Exact {
      public:
        Exact(const NormCall& call, const char* x, std::size_t n) : call_(call), x_(x), n_(n) {}

        const ExactNorm& get() {
            if (norm_) return *norm_;
            const Map map = call_.row.divisor == Divisor::magnitudes ? Map::magnitude : Map::square;
            Superaccumulator sum, others;
            exact_sum_method(call_.x.format, Map::itself).lanes(&sum, 0, x_, n_, 0, 1);
            exact_sum_method(call_.x.format, map).lanes(&others, 0, x_, n_, 0, 1);
            norm_ = std::make_unique<ExactNorm>(call_.row, sum, others, static_cast<std::int64_t>(n_));
            return *norm_;
        }
        void put(std::size_t i, double scale, double bias, char* out) {
            const double x = element_at(x_, i, call_.x.format);
            store_bits(out, 0, get().result(x, scale, bias, call_.format), size_of(call_.format));
        }

      private:
        const NormCall& call_;
        const char* const x_;
        const std::size_t n_;
        std::unique_ptr<ExactNorm> norm_;
    };

    // The bounds of 1 / d most often round to one number. For narrow formats they are rounded to float64
    // first, which must not bring one onto a tie.
    std::uint64_t inverse_of(const NormLine& line, Exact& exact) const {
        const Format format = call_.inverse_format;
        const double near = line.inverse, rest = line.inverse_rest,
                     error = near * (line.inverse_error * (1 + 0x1p-40) +
                                     (format == Format::f64 ? 0x1p-100 : 0x1p-51));
        if (line.is_known && near > 0x1p-800 && near < 0x1p800) {
            const std::uint64_t low = round_bits(near + (rest - error), format);
            if (low == round_bits(near + (rest + error), format)) return low;
        }
        return exact.get().is_finite() ? exact.get().inverse(format) : canonical_nan(format);
    }

    void finish(std::int64_t number, const NormLine& line, const char* x, char* out, bool streamed) const {
        Exact exact(call_, x, n_);
        if (call_.inverse != nullptr)
            store_bits(call_.inverse, static_cast<std::size_t>(number), inverse_of(line, exact),
                       size_of(call_.inverse_format));
        if (!line.is_known && !exact.get().is_finite()) {
            for (std::size_t i = 0; i < n_; ++i)
                store_bits(out, i, canonical_nan(call_.format), size_of(call_.format));
            return;
        }
        alignas(64) char buffer[norm_elements * 8];
        std::uint16_t doubtful[norm_elements];
        const std::size_t result = size_of(call_.format), item = size_of(call_.x.format);
        scales_.each_stretch(number, n_, [&](std::size_t i, std::size_t now, const NormScale& by) {
            char* const to = streamed ? buffer : out + i * result;
            const auto settle = [&](std::size_t k) {
                exact.put(i + k, by.scale[by.each ? k : 0], by.bias[by.each ? k : 0], to + k * result);
            };
            if (line.is_known && by.is_in_range()) {
                const std::size_t found = methods_.finish[format_](line, x + i * item, now, by, to, doubtful);
                for (std::size_t k = 0; k < found; ++k) settle(doubtful[k]);
            } else {
                for (std::size_t k = 0; k < now; ++k) settle(k);
            }
            if (streamed) stream(out + i * result, buffer, now * result);
        });
    }

    const NormCall& call_;
    const LineDims dims_;
    const NormScales scales_;
    const NormMethods& methods_;
    const std::size_t format_;
    const std::int64_t item_, result_;
    const std::size_t n_;
};

}  // namespace

void normalize_lines(const NormCall& call) {
    const FloatingPointScope scope;
    Job(call).run();
}

}  // namespace samesum
