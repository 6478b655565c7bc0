// What these tests need of a framework: with it they compile wherever the core does.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <iostream>
#include <vector>

namespace check {

struct Test {
    const char* name;
    void (*run)();
};
std::vector<Test>& tests();

struct Registered {
    Registered(const char* name, void (*run)()) { tests().push_back({name, run}); }
};

// What is told of a failure while it is in scope.
class Told {
  public:
    explicit Told(std::function<void(std::ostream&)> tell);
    ~Told();
    Told(const Told&) = delete;
    Told& operator=(const Told&) = delete;
};

// Ends a test.
struct Required : std::exception {};

void count();
// The place and what was expected; after the first of a test they are only counted. Returns where to say
// more.
std::ostream& failed(const char* file, int line, const char* expected);

}  // namespace check

#define CHECK_JOINED_(a, b) a##b
#define CHECK_NAME_(a, b) CHECK_JOINED_(a, b)

#define TEST_CASE(name)                                                                                    \
    static void CHECK_NAME_(test_, __LINE__)();                                                            \
    static const check::Registered CHECK_NAME_(registered_, __LINE__){name, CHECK_NAME_(test_, __LINE__)}; \
    static void CHECK_NAME_(test_, __LINE__)()

#define CAPTURE(value)                                            \
    const check::Told CHECK_NAME_(told_, __LINE__) {              \
        [&](std::ostream& to) { to << #value " is " << (value); } \
    }

#define CHECK_AS_(condition, text, ...)                                                      \
    do {                                                                                     \
        check::count();                                                                      \
        if (!(condition)) {                                                                  \
            std::ostream& to = check::failed(__FILE__, __LINE__, text);                      \
            [&to](const auto&... parts) { ((to << parts), ...) << std::endl; }(__VA_ARGS__); \
        }                                                                                    \
    } while (false)
#define CHECK_MESSAGE(condition, ...) CHECK_AS_(condition, #condition, __VA_ARGS__)
#define REQUIRE_MESSAGE(condition, ...)                  \
    do {                                                 \
        const bool holds = static_cast<bool>(condition); \
        CHECK_AS_(holds, #condition, __VA_ARGS__);       \
        if (!holds) throw check::Required();             \
    } while (false)
#define CHECK(...) CHECK_MESSAGE((__VA_ARGS__), "")
#define REQUIRE(...) REQUIRE_MESSAGE((__VA_ARGS__), "")
#define MESSAGE(...) [](const auto&... parts) { ((std::cout << parts), ...) << std::endl; }(__VA_ARGS__)
