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

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>
#endif

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

// Where a helper wakes. In a virtual machine one that was woken was seen to wait for milliseconds in its
// caller's own queue, while another processor had nothing to do.

#if defined(__linux__)

// Of one helper. Calls are made under the pool's lock.
class Placement {
  public:
    // By the helper, before it sleeps.
    void fall_asleep() { is_asleep_ = true; }

    // By the caller, before it wakes the helper: not on its own processor, if the helper may use another.
    void wake_elsewhere(pthread_t helper) {
        const int here = sched_getcpu();
        if (!is_asleep_ || is_sent_ || here < 0 || here >= CPU_SETSIZE) return;
        if (pthread_getaffinity_np(helper, sizeof allowed_, &allowed_) != 0) return;
        others_ = allowed_;
        CPU_CLR(here, &others_);
        is_sent_ = CPU_COUNT(&others_) > 0 && pthread_setaffinity_np(helper, sizeof others_, &others_) == 0;
    }

    // By the helper, awake: it may run where it might before, unless somebody else has said otherwise since.
    void come_back() {
        is_asleep_ = false;
        cpu_set_t now;
        if (is_sent_ && sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&now, &others_))
            sched_setaffinity(0, sizeof allowed_, &allowed_);
        is_sent_ = false;
    }

  private:
    bool is_asleep_ = true, is_sent_ = false;  // a new thread is where its maker is
    cpu_set_t allowed_{}, others_{};
};

#else

class Placement {
  public:
    void fall_asleep() {}
    template <class Handle>
    void wake_elsewhere(Handle) {}
    void come_back() {}
};

#endif

}  // namespace samesum
