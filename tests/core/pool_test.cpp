// The pool runs each task once, gives up as it promises, and is safe for several callers; for the thread
// sanitizer, too.
#include "threads/pool.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"

namespace {

// The words of an error of this type, or "nothing".
template <class Error, class Work>
std::string thrown(const Work& work) {
    try {
        work();
    } catch (const Error& error) {
        if constexpr (requires { error.what(); }) return error.what();
        return "another";
    }
    return "nothing";
}

using samesum::for_each_task;
using samesum::for_each_task_in_order;

// The number of threads is what it was.
class Threads {
  public:
    explicit Threads(int n) : before_(samesum::thread_count()) { samesum::set_thread_count(n); }
    ~Threads() { samesum::set_thread_count(before_); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

  private:
    int before_;
};

void count_tasks(std::size_t n, int threads) {
    std::vector<int> times(n);
    std::atomic<std::size_t> most_worker{0};
    auto task = [&](std::size_t t, std::size_t worker) {
        ++times[t];  // no atomic: two threads here at once would be a race
        for (std::size_t seen = most_worker;
             worker > seen && !most_worker.compare_exchange_weak(seen, worker);) {
        }
    };
    for_each_task(n, threads, task);
    for (std::size_t t = 0; t < n; ++t) REQUIRE(times[t] == 1);
    REQUIRE(most_worker < static_cast<std::size_t>(threads));
}

TEST_CASE("each task runs once, by a worker below the number of threads") {
    for (const int threads : {1, 2, 3, 8}) {
        const Threads scope(threads);
        for (const std::size_t n : {0, 1, 2, 7, 64, 65, 1000}) count_tasks(n, threads);
    }
}

TEST_CASE("several callers at once, and others that change the number of threads") {
    const Threads scope(4);
    std::atomic<bool> done{false};
    std::thread changes([&] {
        for (int n = 0; !done; ++n) samesum::set_thread_count(1 + n % 6);
    });
    std::vector<std::thread> callers;
    for (int i = 0; i < 4; ++i)
        callers.emplace_back([] {
            for (int call = 0; call < 200; ++call) {
                std::vector<int> times(100);
                auto task = [&](std::size_t t, std::size_t) { ++times[t]; };
                for_each_task(times.size(), 6, task);
                for (const int n : times) REQUIRE(n == 1);
            }
        });
    for (std::thread& caller : callers) caller.join();
    done = true;
    changes.join();
}

TEST_CASE("a task that asks for tasks of its own gets them done") {
    const Threads scope(4);
    std::vector<int> times(16 * 16);
    auto outer = [&](std::size_t t, std::size_t) {
        auto inner = [&](std::size_t u, std::size_t) { ++times[t * 16 + u]; };
        for_each_task(16, 4, inner);
    };
    for_each_task(16, 4, outer);
    for (const int n : times) REQUIRE(n == 1);
}

TEST_CASE("what a task throws reaches the caller, and the pool goes on working") {
    const Threads scope(4);
    for (int call = 0; call < 50; ++call) {
        auto task = [](std::size_t t, std::size_t) {
            if (t == 17) throw std::runtime_error("task 17");
        };
        REQUIRE(thrown<std::runtime_error>([&] { for_each_task(100, 4, task); }) == "task 17");
        count_tasks(100, 4);
    }
}

TEST_CASE("tasks in order may wait for those before them") {
    const Threads scope(4);
    for (int call = 0; call < 50; ++call) {
        std::vector<std::atomic<long>> carry(200);
        auto task = [&](std::size_t t, std::size_t) {
            long before = 0;
            while (t > 0 && (before = carry[t - 1].load(std::memory_order_acquire)) == 0)
                std::this_thread::yield();
            carry[t].store(before + 1, std::memory_order_release);
        };
        for_each_task_in_order(carry.size(), 4, task);
        REQUIRE(carry.back() == 200);
    }
}

std::atomic<bool> interrupt{false};

TEST_CASE("only a thread that may be interrupted is asked, and then the work is given up") {
    const Threads scope(2);
    const auto before = samesum::interruption_requested;
    samesum::interruption_requested = +[] { return interrupt.load(); };
    interrupt = true;
    auto slow = [](std::size_t, std::size_t) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
    for_each_task(60, 2, slow);
    {
        const samesum::Interruptible scoped;
        REQUIRE(thrown<samesum::Interrupted>([&] { for_each_task(10000, 2, slow); }) == "another");
    }
    interrupt = false;
    samesum::interruption_requested = before;
    count_tasks(100, 2);
}

TEST_CASE("lent threads do the work of their caller") {
    struct Lent {
        std::atomic<std::size_t> calls{0};
        static void run(void* state, std::size_t n, void (*work)(void*, std::size_t), void* object) {
            Lent& self = *static_cast<Lent*>(state);
            std::vector<std::thread> threads;
            for (std::size_t i = 0; i < n; ++i)
                threads.emplace_back([&self, i, work, object] {
                    ++self.calls;
                    work(object, i);
                });
            for (std::thread& thread : threads) thread.join();
        }
    } lent;
    const Threads scope(4);
    const samesum::Lender lender{&lent, &Lent::run};
    {
        const samesum::LentThreads scoped(lender);
        count_tasks(500, 4);
    }
    REQUIRE(lent.calls >= 1);
}

}  // namespace
