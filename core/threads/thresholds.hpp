// When calls use threads: the thresholds, where they were before.
#pragma once

#include "select/thread_thresholds.hpp"
