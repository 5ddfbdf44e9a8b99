// Tries the inputs of a corpus and neighbours of them, the same ones every time, where there is no
// libFuzzer: with whatever compiler and sanitizers the tests have. replay.cpp is linked with one
// fuzz_*.cpp. PROGRAM NEIGHBOURS SECONDS FOLDER...: stops after so many seconds at the latest.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/rng.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace {

using Clock = std::chrono::steady_clock;

void try_input(const std::string& input) {
  // A copy of its own, so that a read past its end is seen.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

std::vector<std::string> read_all(int count, char** folders) {
  std::vector<std::filesystem::path> paths;
  for (int i = 0; i < count; ++i)
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folders[i]))
      if (entry.is_regular_file()) paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<std::string> inputs{""};
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

/// One change: another byte, one less, some again, or a part of another input.
void change(std::string& input, const std::string& other, penstock::Rng& rng) {
  const std::size_t at = rng.below(input.size() + 1);
  const std::size_t length = std::min<std::size_t>(rng.below(16) + 1, input.size() - at);
  switch (rng.below(5)) {
    case 0:
      if (at < input.size()) input[at] = static_cast<char>(rng.below(256));
      return;
    case 1:
      input.erase(at, length);
      return;
    case 2:
      input.insert(at, input.substr(at, length));
      return;
    case 3:
      input.insert(at, 1, "0-9,:\"\n{[.e"[rng.below(11)]);
      return;
    default:
      if (!other.empty()) input.insert(at, other.substr(rng.below(other.size()), 32));
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) {
    std::fprintf(stderr, "usage: %s NEIGHBOURS SECONDS FOLDER...\n", arguments[0]);
    return 2;
  }
  const auto inputs = read_all(count - 3, arguments + 3);
  for (const std::string& input : inputs) try_input(input);
  penstock::Rng rng = penstock::Rng(1).stream("neighbours");
  const long neighbours = std::strtol(arguments[1], nullptr, 10);
  const auto end = Clock::now() + std::chrono::seconds(std::strtol(arguments[2], nullptr, 10));
  long tried = 0;
  for (; tried < neighbours && Clock::now() < end; ++tried) {
    std::string input = inputs[rng.below(inputs.size())];
    for (std::size_t changes = rng.below(6) + 1; changes > 0; --changes)
      change(input, inputs[rng.below(inputs.size())], rng);
    try_input(input);
  }
  std::printf("%zu inputs and %ld neighbours\n", inputs.size(), tried);
  return 0;
}
