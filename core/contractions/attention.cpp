#include "contractions/attention.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "arithmetic/rounding.hpp"
#include "contractions/attention_packed.hpp"
#include "kernels/instruction_set.hpp"
#include "run/tiles.hpp"
#include "select/contraction_thresholds.hpp"
#include "select/routes.hpp"
#include "threads/pool.hpp"

namespace samesum {

namespace {

constexpr std::int64_t block_rows = 32;

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

// The work of one thread. What it has packed of keys and values serves until others come.
class Worker {
  public:
    explicit Worker(const AttentionCall& call)
        : all_(call),
          method_(*current_instruction_set().attention),
          columns_(rounded_up(size(call.columns), method_.lanes)) {}

    void run(std::int64_t batch, std::int64_t first, std::int64_t count) {
        find(batch);
        most_ = most_keys(first, count);
        if (count <= attention_direct_rows && packed_.key != key_ && all_.shown == Shown::none &&
            lie_together(all_.key) && lie_together(all_.value) && add_directly(first, count))
            return;
        packed_.take(all_, key_, value_, most_);
        for (std::int64_t i = first; i < first + count; i += block_rows)
            add_block(i, std::min(block_rows, first + count - i));
    }

    AttentionLeft left;

  private:
    const char* place(const AttentionOperand& x, std::int64_t batch) const {
        const char* p = x.data;
        for (int i = all_.rank - 1; i >= 0 && p != nullptr; batch /= all_.shape[i--])
            p += batch % all_.shape[i] * x.batch[i];
        return p;
    }

    void find(std::int64_t batch) {
        query_ = place(all_.query, batch), key_ = place(all_.key, batch), value_ = place(all_.value, batch);
        mask_ = place(all_.mask, batch), ends_ = place(all_.ends, batch);
        row_ = batch * all_.queries;
        masked_ = nullptr;
        mask_end_ = -1;
    }

    std::int64_t end_of(std::int64_t i) const {
        std::int64_t end = all_.keys;
        if (ends_ != nullptr) std::memcpy(&end, ends_ + i * all_.ends.row, sizeof end);
        return std::clamp<std::int64_t>(end, 0, all_.keys);
    }

    // What is added to the scores of row i, of which the first `keys` are looked at.
    const double* mask_of(std::int64_t i, std::int64_t keys) {
        const std::int64_t end = end_of(i);
        const char* const p = mask_ == nullptr ? nullptr : mask_ + i * all_.mask.row;
        const std::size_t n = rounded_up(size(keys), method_.lanes);
        if (mask_end_ == end && masked_ == p && mask_size_ == n) return added_.get();
        mask_end_ = end, masked_ = p, mask_size_ = n;
        double* const added = added_.of(n);
        constexpr double out = -HUGE_VAL;
        std::fill_n(added, end, 0.0);
        if (p != nullptr && all_.mask.format == Format::boolean) {
            for (std::int64_t j = 0; j < end; ++j) added[j] = p[j * all_.mask.term] != 0 ? 0 : out;
        } else if (p != nullptr) {
            widen_numbers(all_.mask.format, p, all_.mask.term, end, added);
        }
        std::fill(added + end, added + n, out);
        return added;
    }

    // Takes the greatest number from all that is added, where that is exact: weights stay the same, and large
    // masks leave no error.
    void take_off_greatest(std::int64_t keys) {
        double* const added = added_.get();
        const double top = *std::max_element(added, added + keys);
        const auto is_exact = [&](double x) {
            double difference, rest;
            two_sum(x, -top, difference, rest);
            return x == -HUGE_VAL || rest == 0;
        };
        if (top == 0 || !std::all_of(added, added + keys, is_exact)) return;
        for (std::int64_t j = 0; j < keys; ++j) added[j] -= top;
        mask_end_ = -1;
    }

    // How many keys any of these rows looks at: all of them, if products are shown without their mask.
    std::int64_t most_keys(std::int64_t first, std::int64_t count) const {
        if (all_.shown == Shown::scaled || all_.shown == Shown::capped) return all_.keys;
        std::int64_t most = 0;
        for (std::int64_t i = first; i < first + count; ++i) most = std::max(most, end_of(i));
        return most;
    }

    ScoreRow row_of(std::int64_t i, std::int64_t keys, const double* query, const double* norms,
                    double depth) {
        const std::size_t terms = size(all_.size);
        double squares = 0;
        for (std::size_t t = 0; t < terms; ++t) squares += query[t] * query[t];
        const double norm = std::sqrt(squares) * (1 + static_cast<double>(terms + 4) * 0x1p-52);
        return {all_.scale,       norm,      depth, terms, rounded_up(size(keys), method_.lanes), norms,
                mask_of(i, keys), all_.shown};
    }

    ScoreRow packed_row(std::int64_t i, std::int64_t keys, const double* query) {
        return row_of(i, keys, query, packed_.norms.get(), packed_depth(size(all_.size)));
    }

    static bool lie_together(const AttentionOperand& x) {
        return x.term == static_cast<std::int64_t>(size_of(x.format));
    }

    // Queries whose keys and values are read where they lie; false if a value is not finite.
    bool add_directly(std::int64_t first, std::int64_t count) {
        const std::size_t lanes = rounded_up(size(most_), method_.lanes),
                          terms = rounded_up(size(all_.size), method_.lanes);
        double *const query = queries_.of(terms), *const weights = weights_.of(2 * lanes),
                      *const norms = weights + lanes, *const sums = sums_.of(2 * columns_),
                      *const greatest = sums + columns_;
        for (std::int64_t i = first; i < first + count; ++i) {
            const std::int64_t keys = end_of(i);
            std::fill_n(query, terms, 0.0);
            std::fill_n(weights, 2 * lanes, 0.0);
            widen_numbers(all_.query.format, query_ + i * all_.query.row, all_.query.term, all_.size, query);
            method_.key_products[static_cast<std::size_t>(all_.key.format)](
                {key_, all_.key.row, all_.key.term, size(keys), size(all_.size)}, query, weights, norms);
            const ScoreRow row = row_of(i, keys, query, norms, direct_depth(size(all_.size)));
            const RowFacts facts = method_.weigh(row, weights, nullptr, nullptr);
            method_.weighted_values[static_cast<std::size_t>(all_.value.format)](
                {value_, all_.value.term, all_.value.row, size(all_.columns), size(keys)}, weights, sums,
                greatest);
            const bool are_finite =
                std::all_of(greatest, greatest + all_.columns, [](double x) { return x < HUGE_VAL; });
            if (!are_finite) return false;
            finish(i, keys, facts, weights, sums, greatest, query);
        }
        return true;
    }

    void add_block(std::int64_t first, std::int64_t count) {
        const std::int64_t keys = most_keys(first, count);
        const std::size_t n = size(count), terms = size(all_.size),
                          lanes = rounded_up(size(keys), method_.lanes), pitch = lanes + 8;
        double *const queries = queries_.of(n * terms), *const weights = weights_.of(n * pitch),
                      *const sums = sums_.of(n * columns_);
        for (std::int64_t i = 0; i < count; ++i)
            widen_numbers(all_.query.format, query_ + (first + i) * all_.query.row, all_.query.term,
                          all_.size, queries + size(i) * terms);
        method_.multiply(queries, terms, n, packed_.keys.get(), terms, lanes, terms, weights, pitch);
        RowFacts facts[block_rows];
        for (std::int64_t i = 0; i < count; ++i) {
            double* const row = weights + size(i) * pitch;
            double *const shown = shown_.of(2 * lanes), *const bounds = shown + lanes;
            const double* const query = queries + size(i) * terms;
            const ScoreRow scores = packed_row(first + i, keys, query);
            facts[i] = method_.weigh(scores, row, shown, bounds);
            if (all_.shown != Shown::none) show(first + i, scores, facts[i], shown, bounds, query, keys);
        }
        method_.multiply(weights, pitch, n, packed_.values.get(), size(packed_.count), columns_, size(keys),
                         sums, columns_);
        for (std::int64_t i = 0; i < count; ++i)
            finish(first + i, keys, facts[i], weights + size(i) * pitch, sums + size(i) * columns_,
                   packed_.greatest.get(), queries + size(i) * terms);
    }

    char* out_of(char* to, std::int64_t i, std::int64_t n) const {
        return to + (row_ + i) * n * static_cast<std::int64_t>(size_of(all_.result));
    }

    void fill(char* to, std::int64_t begin, std::int64_t end, double x) const {
        const std::uint64_t bits = round_bits(x, all_.result);
        for (std::int64_t j = begin; j < end; ++j) store_bits(to, size(j), bits, size_of(all_.result));
    }

    static bool has_weights(const RowFacts& facts) { return !facts.is_special && facts.greatest > -HUGE_VAL; }
    static double without_weights(const RowFacts& facts) { return facts.is_special ? __builtin_nan("") : 0; }

    void show(std::int64_t i, const ScoreRow& row, const RowFacts& facts, const double* shown,
              const double* bounds, const double* query, std::int64_t keys) {
        char* const to = out_of(all_.shown_out, i, all_.keys);
        const bool are_weights = all_.shown == Shown::weights;
        fill(to, keys, all_.keys, are_weights ? without_weights(facts) : -HUGE_VAL);
        if (are_weights && !has_weights(facts)) return fill(to, 0, keys, without_weights(facts));
        failed_.resize(row.keys);
        const auto certify = method_.certify[static_cast<std::size_t>(all_.result)];
        if (certify(shown, nullptr, bounds, size(keys), to, failed_.data()) == 0) return;
        double *const room = words_.of(6 * row.keys), *const words = room + 3 * row.keys;
        if (are_weights) take_off_greatest(keys);
        method_.weigh_words(row, query, packed_.keys.get(), room);
        settle(to, size(keys), words, row.keys, failed_.data(), (row_ + i) * all_.keys, left.shown);
    }

    // Results in doubt by two words and bounds, arrays of `pitch` each; the first one has this place.
    void settle(char* to, std::size_t n, const double* words, std::size_t pitch, const std::uint8_t* failed,
                std::int64_t place, std::vector<std::int64_t>& in_doubt) {
        const std::size_t bytes = size_of(all_.result);
        results_.resize(pitch * bytes);
        still_.resize(pitch);
        method_.certify[static_cast<std::size_t>(all_.result)](words, words + pitch, words + 2 * pitch, n,
                                                               results_.data(), still_.data());
        for (std::size_t j = 0; j < n; ++j) {
            if (failed[j] == 0) continue;
            if (still_[j] != 0) in_doubt.push_back(place + static_cast<std::int64_t>(j));
            std::memcpy(to + j * bytes, results_.data() + j * bytes, bytes);
        }
    }

    void finish(std::int64_t i, std::int64_t keys, const RowFacts& facts, const double* weights,
                const double* sums, const double* greatest, const double* query) {
        char* const to = out_of(all_.out, i, all_.columns);
        if (!has_weights(facts)) return fill(to, 0, all_.columns, without_weights(facts));
        failed_.resize(columns_);
        const auto finish_row = method_.finish[static_cast<std::size_t>(all_.result)];
        if (finish_row(sums, greatest, size(all_.columns), facts, size(keys), to, failed_.data()) != 0) {
            packed_.take(all_, key_, value_, most_);
            if (!are_settled(keys, facts, weights, sums, to)) repair(i, keys, query, to);
        }
        if (packed_.key != key_ || packed_.value != value_) return;  // all values are finite
        for (std::size_t k = 0; k < packed_.odd.size();) {
            const std::int64_t column = packed_.odd[k].column;
            double total = 0;
            for (; k < packed_.odd.size() && packed_.odd[k].column == column; ++k) {
                const std::int64_t key = packed_.odd[k].key;
                if (key < keys && !std::signbit(weights[key])) total += packed_.odd[k].value;
            }
            if (total != 0) fill(to, column, column + 1, total);
        }
    }

    bool has_failed(std::size_t column) const {
        const std::uint8_t* const failed = failed_.data() + column;
        const std::size_t n = std::min(method_.lanes, size(all_.columns) - column);
        return std::any_of(failed, failed + n, [](std::uint8_t each) { return each != 0; });
    }

    // Whether the weighted magnitudes of a panel's values, which are less than the greatest one, decide all.
    bool are_settled(std::int64_t keys, const RowFacts& facts, const double* weights, const double* sums,
                     char* to) {
        std::size_t failures = 0;
        double* const greatest = words_.of(method_.lanes);
        for (std::size_t c = 0; c < size(all_.columns); c += method_.lanes) {
            if (!has_failed(c)) continue;
            std::copy_n(packed_.greatest.get() + c, method_.lanes, greatest);
            method_.magnitudes(packed_.values.get() + c * size(packed_.count), weights, size(keys),
                               facts.total, greatest);
            failures += method_.finish[static_cast<std::size_t>(all_.result)](
                sums + c, greatest, std::min(method_.lanes, size(all_.columns) - c), facts, size(keys),
                to + c * size_of(all_.result), failed_.data() + c);
        }
        return failures == 0;
    }

    void repair(std::int64_t i, std::int64_t keys, const double* query, char* to) {
        record(Route::attention_words);
        const ScoreRow row = packed_row(i, keys, query);
        take_off_greatest(keys);
        const std::size_t lanes = method_.lanes, bytes = size_of(all_.result);
        double *const room = words_.of(6 * row.keys + 3 * lanes), *const words = room + 6 * row.keys;
        const RowFacts facts = method_.weigh_words(row, query, packed_.keys.get(), room);
        for (std::size_t c = 0; c < size(all_.columns); c += lanes) {
            const std::size_t now = std::min(lanes, size(all_.columns) - c);
            if (!has_failed(c)) continue;
            method_.average_words(packed_.values.get() + c * size(packed_.count), room, row.keys, size(keys),
                                  facts, words);
            settle(to + c * bytes, now, words, lanes, failed_.data() + c,
                   (row_ + i) * all_.columns + static_cast<std::int64_t>(c), left.out);
        }
    }

    const AttentionCall& all_;
    const AttentionMethods& method_;
    const std::size_t columns_;  // in whole panels
    const char *query_ = nullptr, *key_ = nullptr, *value_ = nullptr, *mask_ = nullptr, *ends_ = nullptr;
    const char* masked_ = nullptr;
    std::int64_t row_ = 0, most_ = 0, mask_end_ = -1;
    std::size_t mask_size_ = 0;
    PackedKeys packed_;
    Numbers added_, queries_, weights_, sums_, shown_, words_;
    std::vector<std::uint8_t> failed_, still_;
    std::vector<char> results_;
};

}  // namespace

AttentionLeft attention(const AttentionCall& call) {
    const FloatingPointScope scope;
    const std::int64_t batches = attention_batches(call);
    if (batches * call.queries == 0) return {};
    const int threads = threads_for(attention_multiplications(call), contraction_threaded);
    const std::int64_t wanted = threads > 1 ? divided_up(std::int64_t{2} * threads, batches) : 1;
    const std::int64_t rows = divided_up(divided_up(call.queries, wanted), block_rows) * block_rows,
                       chunks = divided_up(call.queries, rows);
    std::vector<Worker> workers;
    for (int w = 0; w < threads; ++w) workers.emplace_back(call);
    auto task = [&](std::size_t t, std::size_t w) {
        const std::int64_t batch = static_cast<std::int64_t>(t) / chunks,
                           first = static_cast<std::int64_t>(t) % chunks * rows;
        workers[w].run(batch, first, std::min(rows, call.queries - first));
    };
    for_each_task(static_cast<std::size_t>(batches * chunks), threads, task);
    AttentionLeft left;
    for (Worker& each : workers) {
        left.out.insert(left.out.end(), each.left.out.begin(), each.left.out.end());
        left.shown.insert(left.shown.end(), each.left.shown.begin(), each.left.shown.end());
    }
    return left;
}

}  // namespace samesum
