// A pool of threads that sleep when they have been idle for a moment. Safe to call from many threads at once,
// and after fork.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace samesum {

// The calling thread was interrupted (Ctrl-C): the work was given up between two tasks.
struct Interrupted {};

// Asked now and then by a thread that is Interruptible; true gives the work up. Set once, by the module.
extern bool (*interruption_requested)();

// While it lives, jobs of this thread ask whether they were interrupted. To ask takes the interpreter's lock,
// so only the thread that Python called may, and only after it has released the lock. Helpers never do: their
// caller may be waiting for them.
class Interruptible {
  public:
    Interruptible();
    ~Interruptible();
    Interruptible(const Interruptible&) = delete;
    Interruptible& operator=(const Interruptible&) = delete;

    static bool is_interrupted();

  private:
    bool before_;
};

// More are of no use to any machine; each costs memory for its stack.
constexpr int most_threads = 4096;
// Until it is set, the number of the machine's processors.
int thread_count();
void set_thread_count(int n);

// All of them for an amount of work from `least` on, else one.
inline int threads_for(std::int64_t amount, std::int64_t least) {
    return amount >= least ? thread_count() : 1;
}

// While it lives, thread_count() of the calling thread is at most `most`.
class ThreadLimit {
  public:
    explicit ThreadLimit(int most);
    ~ThreadLimit();
    ThreadLimit(const ThreadLimit&) = delete;
    ThreadLimit& operator=(const ThreadLimit&) = delete;

  private:
    int before_;
};

// IEEE defaults (round to nearest, subnormals kept) while it lives; then what the caller had, flags included.
class FloatingPointScope {
  public:
    FloatingPointScope();
    ~FloatingPointScope();
    FloatingPointScope(const FloatingPointScope&) = delete;
    FloatingPointScope& operator=(const FloatingPointScope&) = delete;

  private:
    std::uint64_t saved_;
};

// A function(task, worker) without ownership; worker numbers are below thread_count() at the time of the
// call.
class TaskRef {
  public:
    template <class F>
        requires(!std::is_same_v<std::remove_cvref_t<F>, TaskRef>)
    TaskRef(F& f)
        : object_(&f), call_([](void* o, std::size_t t, std::size_t w) { (*static_cast<F*>(o))(t, w); }) {}
    void operator()(std::size_t task, std::size_t worker) const { call_(object_, task, worker); }

  private:
    void* object_;
    void (*call_)(void*, std::size_t, std::size_t);
};

// How much a call has to do. All threads take part from `threaded` on. While it lives, jobs of the calling
// thread of less than `brief` may be done before a thread that sleeps is awake: one is woken only for what is
// still left after the first task.
class SharedWork {
  public:
    SharedWork(std::int64_t amount, std::int64_t threaded, std::int64_t brief);
    ~SharedWork();
    SharedWork(const SharedWork&) = delete;
    SharedWork& operator=(const SharedWork&) = delete;

    const int threads;

  private:
    bool before_;
};

// Threads of a caller that has some of its own. run(state, n, work, object) calls work(object, i) for each i
// < n, on threads of its choice and at least on one, and returns once all calls have.
struct Lender {
    void* state;
    void (*run)(void* state, std::size_t n, void (*work)(void* object, std::size_t i), void* object);
};

// While it lives, jobs of the calling thread run on these threads instead of the pool's.
class LentThreads {
  public:
    explicit LentThreads(const Lender& lender);
    ~LentThreads();
    LentThreads(const LentThreads&) = delete;
    LentThreads& operator=(const LentThreads&) = delete;

  private:
    const Lender* before_;
};

// Runs tasks 0 ... n-1 on up to `threads` threads of which the caller is worker 0. Each worker begins with a
// share of tasks that follow one another, the same in every call of so many tasks and threads: what it read
// in the call before may still be in its own cache. Who is done with that helps the others. While the pool is
// busy for another caller, the caller does all of its own. Throws Interrupted, or what a task threw.
void for_each_task(std::size_t n, int threads, TaskRef task);

// Runs the tasks as for_each_task, but none is begun before those of smaller numbers are: a task may wait for
// them.
void for_each_task_in_order(std::size_t n, int threads, TaskRef task);

// take(first, how many) of `count` things, `batch` at a time.
template <class Take>
void for_each_batch(std::int64_t count, std::int64_t batch, int threads, const Take& take) {
    auto task = [&](std::size_t t, std::size_t) {
        const std::int64_t first = static_cast<std::int64_t>(t) * batch;
        take(first, std::min(batch, count - first));
    };
    for_each_task(static_cast<std::size_t>((count + batch - 1) / batch), threads, task);
}

}  // namespace samesum
