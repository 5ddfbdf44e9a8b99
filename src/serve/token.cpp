#include "serve/token.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "io/text/file.h"
#include "io/text/number.h"

namespace penstock {
namespace {

constexpr std::size_t kShortest = 16;
constexpr std::size_t kLongest = 512;

Result<Done> check_file(const std::filesystem::path& path) {
  struct stat found{};
  if (stat(path.c_str(), &found) != 0)
    return Error{fmt::format("{}: {}", path.string(), std::strerror(errno))};
  if (!S_ISREG(found.st_mode)) return Error{fmt::format("{}: is not a file", path.string())};
  constexpr mode_t kOthers = S_IRWXO | S_IWGRP;
  if ((found.st_mode & kOthers) != 0)
    return Error{fmt::format("{}: others can read or change this token; possible: chmod 600 {}",
                             path.string(), path.string())};
  return Done{};
}

}  // namespace

Result<std::string> read_token(const std::filesystem::path& path) {
  constexpr std::uint64_t kLargest = 4096;
  if (auto fine = check_file(path); !fine) return std::move(fine).error();
  const auto text = read_file(path, kLargest);
  if (!text) return text.error();
  const std::string_view token = trim(std::string_view(*text).substr(0, text->find('\n')));
  const bool printable = std::ranges::all_of(token, [](char c) { return c > ' ' && c < '\x7F'; });
  if (token.size() < kShortest || token.size() > kLongest || !printable)
    return Error{
        fmt::format("{}: a token is {} to {} letters, digits and signs without blanks; "
                    "possible: openssl rand -hex 32",
                    path.string(), kShortest, kLongest)};
  return std::string(token);
}

bool is_same_secret(std::string_view one, std::string_view other) {
  unsigned different = one.size() == other.size() ? 0 : 1;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const char against = other.empty() ? '\0' : other[i % other.size()];
    different |= static_cast<unsigned char>(one[i] ^ against);
  }
  // Not optimised into a loop that ends early: every byte feeds the value that is read here.
  const volatile unsigned seen = different;
  return seen == 0;
}

}  // namespace penstock
