#include "threads/pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#if defined(__x86_64__) || defined(_M_X64)
#include <xmmintrin.h>
#endif
#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

#include "threads/tasks.hpp"

namespace samesum {

bool (*interruption_requested)() = [] { return false; };

namespace {

#if defined(__x86_64__) || defined(_M_X64)
constexpr std::uint64_t ieee_defaults = 0x1f80;
std::uint64_t control_word() { return _mm_getcsr(); }
void set_control_word(std::uint64_t word) { _mm_setcsr(static_cast<unsigned>(word)); }
#elif defined(__aarch64__)
constexpr std::uint64_t ieee_defaults = 0;
std::uint64_t control_word() {
    std::uint64_t word;
    asm volatile("mrs %0, fpcr" : "=r"(word));
    return word;
}
void set_control_word(std::uint64_t word) { asm volatile("msr fpcr, %0" : : "r"(word)); }
#endif

std::chrono::microseconds microseconds(const Threshold& threshold) {
    return std::chrono::microseconds(std::int64_t{threshold});
}

// What the innermost SharedWork of the calling thread says.
thread_local bool is_brief = false;
// Whether the calling thread has an Interruptible.
thread_local bool is_interruptible = false;

// Of the innermost LentThreads of the calling thread.
thread_local const Lender* lender = nullptr;

// Of jobs of this thread.
thread_local int thread_limit = most_threads;

// A job within a job is the caller's own.
constexpr Lender no_other_threads{
    nullptr, [](void*, std::size_t, void (*work)(void*, std::size_t), void* object) { work(object, 0); }};

void pause() {
#if defined(__x86_64__) || defined(_M_X64)
    _mm_pause();
#endif
}

// Looks for a moment whether something holds: a thread that sleeps takes longer to wake than many a job.
template <class Condition>
void await_briefly(const Condition& holds) {
    const auto begin = Clock::now();
    do {
        for (int i = 0; i < looks_between_clocks; ++i) {
            if (holds()) return;
            pause();
        }
        std::this_thread::yield();  // who is waited for may be on this very processor
    } while (Clock::now() - begin < microseconds(idle_microseconds));
}

// Whether this thread waits for a job of the pool.
thread_local bool is_calling = false;

struct Calling {
    Calling() { is_calling = true; }
    ~Calling() { is_calling = false; }
};

class Pool {
  public:
    // False if a job is running, somebody else's or that of which this call is a part. For brief work helpers
    // that all sleep are woken once the rest of it is worth it, or at once if calls follow one another.
    bool try_run(Tasks& job, std::size_t threads) {
        if (is_calling) return false;
        const std::unique_lock busy(busy_, std::try_to_lock);
        if (!busy.owns_lock()) return false;
        const Calling calling;
        const auto begin = Clock::now();
        if (begin - ended_ > microseconds(idle_microseconds)) follow_ = 0;
        bool is_shared = !is_brief || awake_ > 0 || follow_ >= quick_calls || job.tasks <= threads;
        if (is_shared) share(job, threads);
        job.work_as_caller([&](std::size_t done) {
            if (is_shared ||
                (Clock::now() - begin) * (job.tasks - done) < microseconds(worth_waking_microseconds) * done)
                return;
            is_shared = true;
            share(job, threads);
        });
        if (is_shared) await_helpers();
        follow_ = is_shared ? quick_calls : follow_ + 1;
        ended_ = Clock::now();
        return true;
    }

  private:
    struct Helper {
        std::thread thread;
        Placement placement;
    };

    // From now on helpers may take tasks.
    void share(Tasks& job, std::size_t threads) {
        {
            const std::lock_guard lock(mutex_);
            grow(threads - 1);
            job_ = &job;
            wanted_ = threads - 1;
            ++generation_;
            for (std::size_t i = 0;
                 i < std::min({wanted_, helpers_.size(), static_cast<std::size_t>(sent_helpers)}); ++i)
                helpers_[i].placement.wake_elsewhere(helpers_[i].thread.native_handle());
        }
        wake_.notify_all();
    }

    void await_helpers() {
        std::unique_lock lock(mutex_);
        job_ = nullptr;  // who has not come by now comes too late
        if (working_ > 0) {
            lock.unlock();
            await_briefly([this] { return working_ == 0; });
            lock.lock();
        }
        done_.wait(lock, [this] { return working_ == 0; });
    }

    // A system that gives no more threads is served by those there are.
    void grow(std::size_t helpers) {
        while (helpers_.size() < helpers) {
            Helper& helper = helpers_.emplace_back();
            const std::size_t worker = helpers_.size();
            try {
                helper.thread = std::thread([this, &helper, worker] { serve(helper, worker); });
            } catch (const std::system_error&) {
                return helpers_.pop_back();
            } catch (...) {
                helpers_.pop_back();
                throw;
            }
        }
    }

    [[noreturn]] void serve(Helper& self, std::size_t worker) {
        std::uint64_t seen = 0;
        ++awake_;
        for (;;) {
            await_briefly([&] { return generation_ != seen; });
            std::unique_lock lock(mutex_);
            self.placement.fall_asleep();
            --awake_;
            wake_.wait(lock, [&] { return generation_ != seen; });
            ++awake_;
            self.placement.come_back();
            seen = generation_;
            if (job_ == nullptr || worker > wanted_) continue;
            Tasks& job = *job_;
            ++working_;
            lock.unlock();
            job.work(worker);
            lock.lock();
            if (--working_ == 0) done_.notify_one();
        }
    }

    std::mutex busy_;
    Clock::time_point ended_{};  // the latest call
    int follow_ = 0;             // calls in a row, quick_calls at once where one was worth sharing
    std::mutex mutex_;           // held by those who change what follows
    std::condition_variable wake_, done_;
    std::deque<Helper> helpers_;
    Tasks* job_ = nullptr;
    std::size_t wanted_ = 0;
    std::atomic<std::size_t> working_{0}, awake_{0};  // helpers
    std::atomic<std::uint64_t> generation_{0};
};

std::atomic<int> configured{0};

// Never destroyed: its threads sleep until the process ends. A forked child has none of them and starts anew.
std::atomic<Pool*> current_pool{nullptr};

Pool& pool() {
    static const bool registered = [] {
        current_pool = new Pool;
#if defined(__unix__) || defined(__APPLE__)
        pthread_atfork(nullptr, nullptr, [] { current_pool = new Pool; });
#endif
        return true;
    }();
    static_cast<void>(registered);
    return *current_pool;
}

}  // namespace

FloatingPointScope::FloatingPointScope() : saved_(control_word()) { set_control_word(ieee_defaults); }
FloatingPointScope::~FloatingPointScope() { set_control_word(saved_); }

Interruptible::Interruptible() : before_(is_interruptible) { is_interruptible = true; }
Interruptible::~Interruptible() { is_interruptible = before_; }
bool Interruptible::is_interrupted() { return is_interruptible && interruption_requested(); }

SharedWork::SharedWork(std::int64_t amount, std::int64_t threaded, std::int64_t brief)
    : threads(threads_for(amount, threaded)), before_(std::exchange(is_brief, amount < brief)) {}
SharedWork::~SharedWork() { is_brief = before_; }

LentThreads::LentThreads(const Lender& lends) : before_(lender) { lender = &lends; }
LentThreads::~LentThreads() { lender = before_; }

ThreadLimit::ThreadLimit(int most) : before_(thread_limit) { thread_limit = std::min(most, before_); }
ThreadLimit::~ThreadLimit() { thread_limit = before_; }

int thread_count() {
    const int n = configured.load(std::memory_order_relaxed);
    if (n > 0) return std::min(n, thread_limit);
    const unsigned cores = std::thread::hardware_concurrency();
    return std::min(cores > 0 ? static_cast<int>(cores) : 1, thread_limit);
}

void set_thread_count(int n) { configured = n; }

namespace {

void run_on_lent_threads(Tasks& job, std::size_t threads) {
    if (threads <= 1) return job.work(0);
    const auto work = [](void* object, std::size_t worker) {
        const LentThreads scope(no_other_threads);
        static_cast<Tasks*>(object)->work(worker);
    };
    lender->run(lender->state, threads, work, &job);
}

void run_tasks(std::size_t n, std::size_t threads, std::size_t shares, TaskRef task) {
    if (n == 1) {
        const FloatingPointScope scope;
        return task(0, 0);
    }
    Tasks job(task, n, shares);
    if (threads > n) threads = n;
    if (lender != nullptr)
        run_on_lent_threads(job, threads);
    else if (threads <= 1 || !pool().try_run(job, threads))
        job.work_as_caller([](std::size_t) {});
    if (job.failure) std::rethrow_exception(job.failure);
}

}  // namespace

void for_each_task(std::size_t n, int threads, TaskRef task) {
    run_tasks(n, static_cast<std::size_t>(threads), static_cast<std::size_t>(threads), task);
}

void for_each_task_in_order(std::size_t n, int threads, TaskRef task) {
    run_tasks(n, static_cast<std::size_t>(threads), 1, task);
}

}  // namespace samesum
