// Runs the tests whose names have the words given, or all.
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>

#include "check.hpp"

namespace check {

namespace {

constexpr std::size_t most_told = 20;

const char* current = "";
std::size_t checks = 0, failures = 0;
std::vector<std::function<void(std::ostream&)>> told;

// The name of the test, and then what the signal does by itself.
extern "C" void name_test(int number) {
    std::cerr << "signal " << number << " in: " << current << std::endl;
    std::signal(number, SIG_DFL);
    std::raise(number);
}

// False if it fails.
bool run(const Test& test) {
    current = test.name;
    failures = 0;
    const std::clock_t begin = std::clock();
    try {
        test.run();
    } catch (const Required&) {
    } catch (const std::exception& error) {
        failed(test.name, 0, "no exception") << error.what() << std::endl;
    }
    if (failures > 0) std::cout << "  failed " << failures << " times\n";
    std::cout << (failures == 0 ? "passed " : "FAILED ")
              << static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC << " s: " << test.name
              << std::endl;
    return failures == 0;
}

}  // namespace

std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

Told::Told(std::function<void(std::ostream&)> tell) { told.push_back(std::move(tell)); }
Told::~Told() { told.pop_back(); }

void count() { ++checks; }

std::ostream& failed(const char* file, int line, const char* expected) {
    static std::ofstream nowhere;
    if (++failures > most_told) return nowhere;
    std::cout << file << ":" << line << ": " << expected << "\n  ";
    for (const auto& tell : told) {
        tell(std::cout);
        std::cout << "; ";
    }
    return std::cout;
}

}  // namespace check

int main(int count, char** words) {
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(number, check::name_test);
    std::size_t ran = 0, failed = 0;
    for (const check::Test& test : check::tests()) {
        bool chosen = count == 1;
        for (int i = 1; i < count; ++i) chosen |= std::strstr(test.name, words[i]) != nullptr;
        if (!chosen) continue;
        ++ran;
        failed += !check::run(test);
    }
    std::cout << ran << " tests, " << check::checks << " checks, " << failed << " failed" << std::endl;
    return ran == 0 || failed > 0;
}
