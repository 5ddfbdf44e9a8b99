#include "serve/config/signal_fetcher.h"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <fstream>

#include "journal/log.h"

namespace penstock {
namespace {

constexpr time_t kSecondsToConnect = 10;
constexpr time_t kSecondsToRead = 30;
constexpr std::size_t kLargestSignalFile = 64u << 20;

Time present() {
  return std::chrono::floor<Duration>(std::chrono::system_clock::now());
}

Result<Done> replace(const std::filesystem::path& file, const std::string& body) {
  const std::filesystem::path fresh = file.string() + ".new";
  {
    std::ofstream out(fresh, std::ios::binary);
    out << body;
    if (!out.flush()) return Error{fresh.string() + ": cannot be written"};
  }
  std::error_code error;
  std::filesystem::rename(fresh, file, error);
  if (error) return Error{fmt::format("{}: {}", file.string(), error.message())};
  return Done{};
}

}  // namespace

Result<Done> fetch_once(const FetchSpec& spec) {
  const std::size_t host_begin = spec.url.find("://") + 3;
  const std::size_t path_begin = std::min(spec.url.find('/', host_begin), spec.url.size());
  httplib::Client client(spec.url.substr(0, path_begin));
  if (!client.is_valid()) return Error{spec.url + ": is not an address"};
  client.set_follow_location(true);
  client.set_connection_timeout(kSecondsToConnect);
  client.set_read_timeout(kSecondsToRead);
  std::string body;
  const std::string path = path_begin == spec.url.size() ? "/" : spec.url.substr(path_begin);
  const auto answer = client.Get(path, [&](const char* bytes, std::size_t count) {
    body.append(bytes, count);
    return body.size() <= kLargestSignalFile;
  });
  if (!answer) return Error{fmt::format("{}: {}", spec.url, httplib::to_string(answer.error()))};
  if (answer->status != 200) return Error{fmt::format("{}: status {}", spec.url, answer->status)};
  if (body.empty()) return Error{spec.url + ": the answer is empty"};
  return replace(spec.file, body);
}

SignalFetcher::SignalFetcher(std::vector<FetchSpec> specs) : specs_(std::move(specs)) {
  if (!specs_.empty()) thread_ = std::thread([this] { run(); });
}

SignalFetcher::~SignalFetcher() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    stops_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void SignalFetcher::run() {
  using Steady = std::chrono::steady_clock;
  std::vector<Steady::time_point> due(specs_.size(), Steady::now());
  while (true) {
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      if (Steady::now() < due[i]) continue;
      const auto done = fetch_once(specs_[i]);
      if (!done) log_line(present(), "warning", "fetch", done.error().message);
      due[i] = Steady::now() + specs_[i].every;
    }
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, *std::ranges::min_element(due), [this] { return stops_; });
    if (stops_) return;
  }
}

}  // namespace penstock
