#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bridge/command.h"
#include "bridge/line_buffer.h"

namespace penstock {

/// A message of a bridge, or the news that a request will not be answered.
struct BridgeMessage {
  enum class Kind : std::uint8_t {
    answer,  ///< to the request `id`
    event,
    lost,  ///< `id` will not be answered: the bridge died or hung; it may have been carried out
  };
  Kind kind = Kind::answer;
  std::uint64_t id = 0;
  std::shared_ptr<const nlohmann::json> body{};  ///< nothing if lost
};

/// The connection to a bridge: lines of JSON in both directions (docs/formats/bridge.md).
class BridgeConnection {
 public:
  virtual ~BridgeConnection() = default;
  /// Returns the number of the request, which its answer will have. Answers keep the order.
  virtual std::uint64_t send(const bridge::Command& command) = 0;
  virtual std::optional<BridgeMessage> next() = 0;
};

/// The process `penstock-slurm`. Starts it, exchanges messages with it, and starts it again when it
/// dies or hangs. Never blocks.
class BridgeLink final : public BridgeConnection {
 public:
  using Steady = std::chrono::steady_clock;
  struct Options {
    std::vector<std::string> command{};
    std::chrono::milliseconds timeout = std::chrono::seconds(20);  ///< for an answer
    std::chrono::milliseconds rest = std::chrono::seconds(1);      ///< before it is started again
    bool captures_stderr = false;  ///< its stderr goes to last_error() instead of being printed
  };

  explicit BridgeLink(Options options);
  ~BridgeLink() override;
  BridgeLink(const BridgeLink&) = delete;
  BridgeLink& operator=(const BridgeLink&) = delete;

  std::uint64_t send(const bridge::Command& command) override;
  std::optional<BridgeMessage> next() override;
  /// Whether next() has a message.
  bool has_messages() const { return !messages_.empty(); }

  /// Reads and writes what is possible, and restarts the process when needed. To be called when a
  /// descriptor is ready, and every few seconds.
  void do_io(Steady::time_point now);
  /// What to poll for: reading always, writing while wants_to_write(); -1 if it does not run.
  int reading() const { return from_; }
  int writing() const { return to_; }
  bool wants_to_write() const { return to_ >= 0 && written_ < out_.size(); }
  bool runs() const { return pid_ > 0; }
  std::uint64_t starts() const { return starts_; }
  const std::string& last_error() const { return last_error_; }  ///< why it ended last
  pid_t pid() const { return pid_; }

 private:
  struct Waiting {
    std::uint64_t id = 0;
    std::string line{};
  };
  void start(Steady::time_point now);
  void end(const std::string& why, Steady::time_point now);
  void write_some();
  void read_some(Steady::time_point now);
  void take(const bridge::LineBuffer::Line& line, Steady::time_point now);

  Options options_;
  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
  int stderr_ = -1;  ///< if its stderr is captured
  std::uint64_t starts_ = 0;
  std::uint64_t last_id_ = 0;
  std::string out_;
  std::size_t written_ = 0;
  bridge::LineBuffer in_;
  std::deque<std::uint64_t> unanswered_;
  std::deque<BridgeMessage> messages_;
  Steady::time_point last_message_{};  ///< or when the first unanswered request was sent
  Steady::time_point start_at_{};
  std::string last_error_{"it was not started yet"};
};

}  // namespace penstock
