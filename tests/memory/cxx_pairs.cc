// Histories of C++: temporaries of the standard library, exceptions.
#include "tests/memory/histories.h"

#include <iomanip>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

void strings() {
    std::string text;
    for (int i = 0; i < 100; i++)
        text += std::to_string(i * 1.5);
}
void containers() {
    std::vector<double> vector;
    std::map<int, std::string> map;
    std::unordered_map<std::string, int> table;
    for (int i = 0; i < 100; i++) {
        vector.push_back(i);
        map[i * 7 % 101] = "entry";
        table[std::to_string(i)] = i;
    }
}
void new_and_delete() {
    delete[] new int[1000];
    std::unique_ptr<std::string> owned(new std::string(100, 'x'));
    auto shared = std::make_shared<int>(4);
}
void streams() {
    std::ostringstream stream;
    stream << std::setprecision(10) << 1.25 << ' ' << 7 << " text " << std::hex << 255;
    std::istringstream in("12 3.5");
    int a;
    double b;
    in >> a >> b;
}
__attribute__((noinline)) void thrower(int depth) {
    if (depth)
        thrower(depth - 1);
    throw std::runtime_error("thrown");
}
void exceptions() {
    try {
        thrower(5);
    } catch (const std::exception &error) {
        std::string text = error.what();
    }
}
void out_of_range() {
    try {
        std::vector<int>().at(3);
    } catch (const std::out_of_range &) {
    }
}
int *volatile kept;
void keep_one() { kept = new int(1); }
void keep_other() { kept = new int(2); }

} // namespace

extern "C" const struct pair cxx_pairs[] = {
    {"cxx_strings", SAME, strings, nullptr},
    {"cxx_containers", SAME, containers, nullptr},
    {"cxx_new_and_delete", SAME, new_and_delete, nullptr},
    {"cxx_streams", SAME, streams, nullptr},
    {"cxx_exceptions", SAME, exceptions, nullptr},
    {"cxx_two_exceptions", SAME, exceptions, out_of_range},
    {"cxx_kept", DIFFERENT, keep_one, keep_other},
    {nullptr, SAME, nullptr, nullptr},
};
