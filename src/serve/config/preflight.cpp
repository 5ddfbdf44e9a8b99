#include "serve/config/preflight.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "journal/journal_reader.h"
#include "serve/http/access_control.h"
#include "serve/http/http_server.h"

namespace penstock {
namespace {

class Missing {
 public:
  explicit Missing(const ServeConfig& config) : config_(config) {}

  void add(std::string_view key, std::string_view what) {
    all_.push_back(fmt::format("{}: {}: {}", config_.file.string(), key, what));
  }
  void look_at_token() {
    AccessControl::Rules rules{.host = config_.api.host};
    if (!config_.api.token_file.empty()) {
      auto token = read_token(config_.api.token_file);
      if (!token) return add("serve.token_file", token.error().message);
      rules.token = *std::move(token);
    }
    if (const auto gate = AccessControl::make(std::move(rules)); !gate)
      add("serve.listen", gate.error().message);
  }
  void look_at_address() {
    HttpServer probe(HttpLimits{}, 1);
    const auto port = probe.begin(config_.api.host, config_.api.port);
    if (port || is_file_locked(config_.journal.string() + ".lock")) return;
    add("serve.listen",
        port.error().message + "; possible: another address or port, such as \"127.0.0.1:7323\"");
  }
  /// Where `file` is to be written.
  bool look_at_folder(std::string_view key, const std::filesystem::path& file) {
    const auto named = file.parent_path();
    const std::filesystem::path folder = named.empty() ? "." : named;
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error)) {
      add(key, fmt::format("there is no folder {}; possible: mkdir -p {}, or another path",
                           folder.string(), folder.string()));
      return false;
    }
    if (::access(folder.c_str(), W_OK | X_OK) == 0) return true;
    add(key, fmt::format("the folder {} cannot be written to: {}; possible: to run this as the "
                         "daemon's account, or another path",
                         folder.string(), std::strerror(errno)));
    return false;
  }
  void look_at_journal() {
    const auto& file = config_.journal;
    std::error_code error;
    if (!look_at_folder("serve.journal", file) || !std::filesystem::exists(file, error)) return;
    if (::access(file.c_str(), R_OK | W_OK) != 0)
      return add("serve.journal", fmt::format("{}: cannot be read and written: {}", file.string(),
                                              std::strerror(errno)));
    if (std::filesystem::file_size(file, error) == 0) return;
    if (const auto reader = JournalReader::open(file); !reader)
      add("serve.journal", reader.error().message);
  }
  std::vector<std::string> take() { return std::move(all_); }

 private:
  const ServeConfig& config_;
  std::vector<std::string> all_;
};

}  // namespace

std::vector<std::string> preflight_problems(const ServeConfig& config) {
  Missing missing(config);
  missing.look_at_token();
  missing.look_at_address();
  missing.look_at_journal();
  if (config.heartbeat) missing.look_at_folder("serve.heartbeat", *config.heartbeat);
  for (const FetchSpec& fetch : config.fetches) missing.look_at_folder("fetch.file", fetch.file);
  return missing.take();
}

Result<Descriptor> acquire_file_lock(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (file.number() < 0) return Error{path.string() + ": cannot be made: " + std::strerror(errno)};
  if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0)
    return Error{path.string() +
                 ": another penstock serve has it; possible: another serve.journal, or to stop it"};
  return file;
}

bool is_file_locked(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file.number() >= 0 && ::flock(file.number(), LOCK_SH | LOCK_NB) != 0;
}

}  // namespace penstock
