#include "contractions/windows.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "contractions/winograd.hpp"
#include "run/tiles.hpp"
#include "select/contraction_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

// What windows meet along an axis, sorted by residues of their step: place k of residue r is the data's
// element first + r + k step.
struct Met {
    std::int64_t first, step, size, stride;
    std::vector<std::int64_t> residues;
    std::unordered_map<std::int64_t, std::int64_t> numbers;  // of the residues
    std::int64_t places;                                     // of each residue

    Met(const Taps& taps, std::int64_t data_size, std::int64_t data_stride)
        : first(taps.start + std::min<std::int64_t>(0, (taps.taps - 1) * taps.reach)),
          step(taps.outputs > 1 ? taps.step : 1),
          size(data_size),
          stride(data_stride),
          places(0) {
        for (std::int64_t j = 0; j < taps.taps; ++j) {
            const std::int64_t place = taps.start + j * taps.reach - first, residue = place % step;
            if (numbers.emplace(residue, residues.size()).second) residues.push_back(residue);
            places = std::max(places, place / step + taps.outputs);
        }
    }

    std::int64_t count() const { return places * static_cast<std::int64_t>(residues.size()); }
    std::int64_t element(std::int64_t i) const {
        return first + residues[static_cast<std::size_t>(i / places)] + i % places * step;
    }
    bool has(std::int64_t element) const { return element >= 0 && element < size; }
    bool is_inside() const {
        if (residues.empty()) return true;
        const auto [least, most] = std::minmax_element(residues.begin(), residues.end());
        return has(first + *least) && has(first + *most + (places - 1) * step);
    }
    std::int64_t place_of(std::int64_t tap_place) const {
        return numbers.at(tap_place % step) * places + tap_place / step;
    }
};

template <class Element>
void copy_elements(const char* from, std::int64_t stride, std::int64_t n, char* to) {
    if (stride == sizeof(Element)) {
        std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(Element));
        return;
    }
    for (std::int64_t i = 0; i < n; ++i)
        std::memcpy(to + i * sizeof(Element), from + i * stride, sizeof(Element));
}

// All that is met along the last axis, from the data's element 0 on.
void copy_line(const Met& met, const char* from, std::int64_t size, char* to) {
    const auto copy = size == 1   ? copy_elements<std::uint8_t>
                      : size == 2 ? copy_elements<std::uint16_t>
                      : size == 4 ? copy_elements<std::uint32_t>
                                  : copy_elements<std::uint64_t>;
    for (const std::int64_t residue : met.residues) {
        const std::int64_t begin = met.first + residue, step = met.step;
        const std::int64_t before = std::clamp<std::int64_t>(begin < 0 ? (step - 1 - begin) / step : 0, 0,
                                                             met.places),
                           all = begin < met.size ? (met.size - 1 - begin) / step + 1 : 0,
                           end = std::clamp(all, before, met.places);
        std::memset(to, 0, static_cast<std::size_t>(before * size));
        copy(from + (begin + before * step) * met.stride, step * met.stride, end - before,
             to + before * size);
        std::memset(to + end * size, 0, static_cast<std::size_t>((met.places - end) * size));
        to += met.places * size;
    }
}

// The axes from number `axis` on; `from` is null where an axis before them leaves the data.
void copy_axes(const std::vector<Met>& axes, std::size_t axis, const char* from, std::int64_t size,
               char*& to) {
    const Met& met = axes[axis];
    if (axis + 1 < axes.size()) {
        for (std::int64_t i = 0; i < met.count(); ++i) {
            const std::int64_t element = met.element(i);
            const bool is_there = from != nullptr && met.has(element);
            copy_axes(axes, axis + 1, is_there ? from + element * met.stride : nullptr, size, to);
        }
        return;
    }
    if (from == nullptr)
        std::memset(to, 0, static_cast<std::size_t>(met.count() * size));
    else
        copy_line(met, from, size, to);
    to += met.count() * size;
}

// Each of these places with each of the others.
void join(std::vector<std::int64_t>& places, const std::vector<std::int64_t>& others) {
    std::vector<std::int64_t> all;
    all.reserve(places.size() * others.size());
    for (const std::int64_t x : places)
        for (const std::int64_t y : others) all.push_back(x + y);
    places = std::move(all);
}

std::vector<std::int64_t> steps(std::int64_t n, std::int64_t stride) {
    std::vector<std::int64_t> places(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::int64_t>(i) * stride;
    return places;
}

// The data as an operand. They are copied where windows reach beyond them, or are some elements apart along
// their last axis: then outputs side by side have elements side by side.
class Windows {
  public:
    Windows(const View& x, const std::vector<Taps>& axes, int threads)
        : x_(x), size_(static_cast<std::int64_t>(size_of(x.format))) {
        operand.data = x.data, operand.format = x.format;
        for (std::size_t i = 0; i < axes.size(); ++i)
            met_.emplace_back(axes[i], x.shape[3 + i], x.strides[3 + i]);
        const auto reaches_beyond = [](const Met& each) { return !each.is_inside(); };
        if (met_.back().step > 1 || std::any_of(met_.begin(), met_.end(), reaches_beyond)) copy(threads);
        operand.batch = steps(x.shape[1], lead_[1]);
        operand.outer = steps(x.shape[0], lead_[0]);
        operand.inner = steps(x.shape[2], lead_[2]);
        for (std::size_t i = 0; i < axes.size(); ++i) add_axis(axes[i], met_[i]);
    }

    ContractionOperand operand;

  private:
    void copy(int threads) {
        std::int64_t image = size_;
        std::vector<std::int64_t> strides(met_.size());
        for (std::size_t i = met_.size(); i-- > 0; image *= met_[i].count()) strides[i] = image;
        const std::int64_t groups = x_.shape[1], channels = x_.shape[2],
                           images = x_.shape[0] * groups * channels;
        char* const to = copy_.emplace(static_cast<std::size_t>(images * image)).get();
        auto copy_image = [&](std::size_t task, std::size_t) {
            const std::int64_t n = static_cast<std::int64_t>(task), of = n / channels;
            char* place = to + n * image;
            copy_axes(met_, 0,
                      x_.data + of / groups * lead_[0] + of % groups * lead_[1] + n % channels * lead_[2],
                      size_, place);
        };
        for_each_task(static_cast<std::size_t>(images), threads, copy_image);
        lead_[2] = image, lead_[1] = image * channels, lead_[0] = lead_[1] * groups;
        operand.data = to;
        for (std::size_t i = 0; i < met_.size(); ++i) met_[i].stride = strides[i];
    }

    void add_axis(const Taps& taps, const Met& met) {
        std::vector<std::int64_t> of_taps;
        for (std::int64_t j = 0; j < taps.taps; ++j) {
            const std::int64_t place = taps.start + j * taps.reach - met.first;
            of_taps.push_back((copy_ ? met.place_of(place) : place) * met.stride);
        }
        if (!copy_) operand.data += met.first * met.stride;
        join(operand.outer, steps(taps.outputs, (copy_ ? 1 : met.step) * met.stride));
        join(operand.inner, of_taps);
    }

    const View& x_;
    const std::int64_t size_;
    std::vector<Met> met_;
    std::int64_t lead_[3] = {x_.strides[0], x_.strides[1], x_.strides[2]};
    std::optional<Scratch> copy_;
};

}  // namespace

void convolve(Contraction& call, const View& x, const std::vector<Taps>& axes) {
    if (call.out.batch.empty() || call.out.outer.empty() || call.out.inner.empty()) return;
    // A last axis on which nothing moves is none.
    std::vector<Taps> moving = axes;
    View data = x;
    for (; moving.size() > 1 && moving.back().outputs == 1 && moving.back().taps == 1; moving.pop_back()) {
        const Taps& last = moving.back();
        const std::size_t axis = moving.size() + 2;
        if (last.start < 0 || last.start >= x.shape[axis]) break;
        data.data += last.start * x.strides[axis];
    }
    const int threads = threads_for(call.multiplications(), contraction_threaded);
    Windows windows(data, moving, threads);
    call.b = std::move(windows.operand);
    if (const auto tiles = winograd_taps(call, moving)) {
        const Windows of_tiles(data, *tiles, threads);
        if (convolve_by_winograd(call, of_tiles.operand, moving)) return;
    }
    contract(call);
}

}  // namespace samesum
