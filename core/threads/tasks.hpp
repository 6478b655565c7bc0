// The tasks of one call, as workers take them.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <mutex>

#include "select/thread_thresholds.hpp"
#include "threads/pool.hpp"

namespace samesum {

using Clock = std::chrono::steady_clock;

struct Tasks {
    // The tasks are cut into so many shares.
    Tasks(TaskRef what, std::size_t n, std::size_t shares)
        : task(what), tasks(n), shares_(std::clamp<std::size_t>(shares, 1, most_shares)) {
        for (std::size_t i = 0; i < shares_; ++i) share_[i] = {begin_of(i), begin_of(i + 1)};
    }

    TaskRef task;
    std::size_t tasks;
    std::atomic<bool> stop{false};
    std::mutex failure_mutex;
    std::exception_ptr failure;

    void fail() {
        const std::lock_guard lock(failure_mutex);
        if (!failure) failure = std::current_exception();
        stop = true;
    }

    void work(std::size_t worker) {
        take_tasks(worker, [](std::size_t) {});
    }

    // By the caller. between(how many tasks it has done)
    template <class Between>
    void work_as_caller(const Between& between) {
        auto asked = Clock::now();
        take_tasks(0, [&](std::size_t done) {
            if (Clock::now() - asked > std::chrono::milliseconds(std::int64_t{interruption_milliseconds})) {
                if (Interruptible::is_interrupted()) throw Interrupted{};
                asked = Clock::now();
            }
            between(done);
        });
    }

  private:
    // More threads than that have no share to themselves.
    static constexpr std::size_t most_shares = 64;

    // Tasks that follow one another, to be done by one worker as long as there are others for the others.
    struct alignas(64) Share {
        std::size_t next, end;
    };

    std::size_t begin_of(std::size_t share) const {
        return tasks / shares_ * share + std::min(share, tasks % shares_);
    }

    // Its own share first, then what is left of those that come after it.
    template <class Between>
    void take_tasks(std::size_t worker, const Between& between) {
        const FloatingPointScope scope;
        std::size_t done = 0;
        try {
            for (std::size_t i = 0; i < shares_; ++i) {
                Share& share = share_[(worker + i) % shares_];
                const std::atomic_ref next(share.next);
                for (std::size_t t; !stop && (t = next.fetch_add(1)) < share.end;) {
                    task(t, worker);
                    between(++done);
                }
            }
        } catch (...) {
            fail();
        }
    }

    const std::size_t shares_;
    Share share_[most_shares];  // those beyond shares_ hold nothing
};

}  // namespace samesum
