// Where a helper wakes. In a virtual machine one that was woken was seen to wait for milliseconds in its
// caller's own queue, while another processor had nothing to do.
#pragma once

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>
#endif

namespace samesum {

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
