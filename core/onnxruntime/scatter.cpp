// Elements or slices that go to places of a copy of the data.
#include <algorithm>
#include <cstring>

#include "onnxruntime/kernel.hpp"
#include "run/segments/segments.hpp"

namespace samesum::onnxruntime {

std::int64_t Kernel::checked_place(std::int64_t place, std::int64_t size) const {
    if (place >= -size && place < size) return place < 0 ? place + size : place;
    const std::string allowed =
        size == 0 ? "there is no place"
                  : "allowed are " + std::to_string(-size) + " to " + std::to_string(size - 1);
    refuse("the indices have " + std::to_string(place) + "; " + allowed);
}

// The number of the element of x that each update goes to.
std::vector<std::int64_t> Kernel::places_of_elements(const Tensor& x, const Tensor& indices,
                                                     const Tensor& updates) const {
    const std::size_t axis = checked_axis(settings_.axis, x.rank);
    bool fits = indices.rank == x.rank && updates.rank == x.rank &&
                std::equal(indices.shape, indices.shape + x.rank, updates.shape);
    for (std::size_t i = 0; fits && i < x.rank; ++i) fits = i == axis || indices.shape[i] <= x.shape[i];
    if (!fits)
        refuse("data, indices and updates have shapes " + text_of(x) + ", " + text_of(indices) + " and " +
               text_of(updates) + "; the last two need one shape, no longer than data beside axis " +
               std::to_string(axis));
    std::int64_t steps[max_rank], at[max_rank] = {}, step = 1, beside = 0;
    for (std::size_t i = x.rank; i-- > 0; step *= x.shape[i]) steps[i] = step;
    std::vector<std::int64_t> places = numbers_in(indices);
    for (std::int64_t& place : places) {
        place = beside + checked_place(place, x.shape[axis]) * steps[axis];
        for (std::size_t i = x.rank; i-- > 0;) {
            const std::int64_t by = i == axis ? 0 : steps[i];
            beside += by;
            if (++at[i] < indices.shape[i]) break;
            at[i] = 0;
            beside -= by * indices.shape[i];
        }
    }
    return places;
}

// The number of the slice of x that each update goes to.
std::vector<std::int64_t> Kernel::places_of_slices(const Tensor& x, const Tensor& indices,
                                                   const Tensor& updates) const {
    const std::size_t lead = indices.rank - 1;
    const std::int64_t depth = indices.rank > 0 ? indices.shape[lead] : -1;
    const bool is_part = depth >= 0 && depth <= static_cast<std::int64_t>(x.rank);
    const std::size_t named = is_part ? static_cast<std::size_t>(depth) : 0;
    const bool is_element = is_part && lead + x.rank == named && updates.count == 1;
    const bool fits = is_element || (is_part && updates.rank == lead + x.rank - named &&
                                     std::equal(indices.shape, indices.shape + lead, updates.shape) &&
                                     std::equal(x.shape + named, x.shape + x.rank, updates.shape + lead));
    if (!fits)
        refuse("data, indices and updates have shapes " + text_of(x) + ", " + text_of(indices) + " and " +
               text_of(updates) +
               "; the last axis of indices names axes of data, and updates have the others");
    std::int64_t rows = 1;
    for (std::size_t i = 0; i < lead; ++i) rows *= indices.shape[i];
    std::vector<std::int64_t> places(static_cast<std::size_t>(rows), 0);
    const std::vector<std::int64_t> numbers = numbers_in(indices);
    for (std::size_t row = 0; row < places.size(); ++row)
        for (std::size_t i = 0; i < named; ++i)
            places[row] = places[row] * x.shape[i] + checked_place(numbers[row * named + i], x.shape[i]);
    return places;
}

void Kernel::scatter(const Tensor& x, OrtKernelContext* context) const {
    const Tensor indices = input(context, 1), updates = input(context, 2);
    const bool by_element = version_.kind == Kind::scatter_elements;
    const std::vector<std::int64_t> places =
        by_element ? places_of_elements(x, indices, updates) : places_of_slices(x, indices, updates);
    auto* const out = static_cast<char*>(output(context, x.shape, x.rank));
    const std::size_t size = size_of(format_), bytes = static_cast<std::size_t>(x.count) * size;
    std::vector<char> before;
    const auto* self = static_cast<const char*>(x.data);
    if (out != self) {
        std::memcpy(out, self, bytes);
    } else if (settings_.combine) {
        before.assign(out, out + bytes);
        self = before.data();
    }
    if (places.empty() || updates.count == 0) return;
    const auto rows = static_cast<std::int64_t>(places.size());
    const std::int64_t columns = updates.count / rows;
    const auto* const from = static_cast<const char*>(updates.data);
    if (!settings_.combine) {
        const std::size_t slice = static_cast<std::size_t>(columns) * size;
        for (std::size_t i = 0; i < places.size(); ++i)
            std::memcpy(out + static_cast<std::size_t>(places[i]) * slice, from + i * slice, slice);
        return;
    }
    Combine combine = *settings_.combine;
    // A sum of truths is their or, a product their and.
    if (format_ == Format::boolean)
        combine = combine == Combine::sum || combine == Combine::maximum ? Combine::logical_or
                                                                         : Combine::logical_and;
    const Labels labels{places.data(), false, false, rows, x.count / columns};
    const samesum::Reduction row{Map::itself, combine, Finalize::itself, false};
    reduce_segments({from, format_, 1, columns, labels, self, row, format_, out});
}

}  // namespace samesum::onnxruntime
