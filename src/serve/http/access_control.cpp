#include "serve/http/access_control.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "io/text/file.h"
#include "io/text/nearest.h"
#include "io/text/number.h"

namespace penstock {
namespace {

/// "[::1]:7323" is "::1", "localhost:7323" is "localhost".
std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  return host.substr(0, host.find(':'));
}

}  // namespace

bool is_loopback(std::string_view host) {
  constexpr std::string_view kDigits = "0123456789.";
  if (host == "localhost" || host == "::1") return true;
  return host.starts_with("127.") && host.find_first_not_of(kDigits) == std::string_view::npos;
}

Result<AccessControl> AccessControl::make(Rules rules) {
  const bool loopback = is_loopback(rules.host);
  if (!loopback && rules.token.empty())
    return Error{
        fmt::format("listening on {} lets others than this machine in: name a token file, "
                    "or listen on 127.0.0.1",
                    rules.host)};
  return AccessControl(std::move(rules), loopback);
}

bool AccessControl::is_own_name(std::string_view host) const {
  const std::string_view name = without_port(host);
  const auto is_name = [&](std::string_view known) { return equal_ignoring_case(name, known); };
  if (name.empty() || is_loopback(name) || is_name("localhost") || is_name(rules_.host))
    return true;
  return std::ranges::any_of(rules_.names, is_name);
}

std::optional<ApiResponse> AccessControl::refusal(const AccessRequest& request) const {
  constexpr std::string_view kScheme = "Bearer ";
  // A page on the web can give its own name the address of loopback and then read what is free.
  if (reading_is_free_ && !is_own_name(request.host))
    return api_error(403, "this daemon does not go by that name: ask for localhost");
  if (request.is_shell || (reading_is_free_ && !request.writes)) return std::nullopt;
  if (rules_.token.empty())
    return api_error(403, "nothing can be changed here: the daemon was started without a token");
  if (request.authorization.empty())
    return api_error(401, "a token is needed: send the header 'Authorization: Bearer TOKEN'");
  if (!request.authorization.starts_with(kScheme) ||
      !is_same_secret(request.authorization.substr(kScheme.size()), rules_.token))
    return api_error(401, "the token is wrong: send the one of the daemon's token file");
  return std::nullopt;
}

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

namespace {

constexpr std::size_t kMostPeers = 4096;

}  // namespace

double RateLimit::saved_at(const Bucket& bucket, double now) const {
  return std::min(burst_, bucket.saved + (now - bucket.when) * per_second_);
}

/// Forgets who has saved up all there is, which is as if it had never asked; else whoever is
/// nearest to that.
void RateLimit::make_room(double now) {
  std::erase_if(buckets_, [&](const auto& peer) { return saved_at(peer.second, now) >= burst_; });
  if (buckets_.size() < kMostPeers) return;
  const auto richest = std::ranges::max_element(
      buckets_, {}, [&](const auto& peer) { return saved_at(peer.second, now); });
  buckets_.erase(richest);
}

bool RateLimit::admit(std::string_view peer, double now) {
  if (per_second_ <= 0) return true;
  const std::lock_guard lock(mutex_);
  auto found = buckets_.find(peer);
  if (found == buckets_.end()) {
    if (buckets_.size() >= kMostPeers) make_room(now);
    found = buckets_.emplace(peer, Bucket{burst_, now}).first;
  }
  Bucket& bucket = found->second;
  bucket = {saved_at(bucket, now), now};
  if (bucket.saved < 1) return false;
  bucket.saved -= 1;
  return true;
}

std::size_t RateLimit::known_peers() const {
  const std::lock_guard lock(mutex_);
  return buckets_.size();
}

}  // namespace penstock
