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

/// Something a bridge said, or that can no longer be hoped for.
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

/// Lines of JSON to and from what stands between us and a cluster (docs/formats/bridge.md).
class Wire {
 public:
  virtual ~Wire() = default;
  /// Returns the number of the request, which its answer will have. Answers keep the order.
  virtual std::uint64_t send(const bridge::Command& command) = 0;
  virtual std::optional<BridgeMessage> next() = 0;
};

/// The process `penstock-slurm`: started, asked, watched, and started again when it dies or hangs.
/// Never blocks.
class BridgeLink final : public Wire {
 public:
  using Steady = std::chrono::steady_clock;
  struct Options {
    std::vector<std::string> command{};
    std::chrono::milliseconds patience = std::chrono::seconds(20);  ///< for an answer
    std::chrono::milliseconds rest = std::chrono::seconds(1);       ///< before it is started again
    bool hushed = false;  ///< what it complains of is told by trouble(), and not printed
  };

  explicit BridgeLink(Options options);
  ~BridgeLink() override;
  BridgeLink(const BridgeLink&) = delete;
  BridgeLink& operator=(const BridgeLink&) = delete;

  std::uint64_t send(const bridge::Command& command) override;
  std::optional<BridgeMessage> next() override;
  /// Is there a message that nobody has taken?
  bool has_heard() const { return !heard_.empty(); }

  /// Reads, writes, looks after the process. To be called when a descriptor is ready, and now and
  /// then.
  void attend(Steady::time_point now);
  /// What to poll for: reading always, writing while wants_to_write(); -1 if it does not run.
  int reading() const { return from_; }
  int writing() const { return to_; }
  bool wants_to_write() const { return to_ >= 0 && written_ < out_.size(); }
  bool runs() const { return pid_ > 0; }
  std::uint64_t starts() const { return starts_; }
  const std::string& trouble() const { return trouble_; }  ///< why it ended last
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
  int complaints_ = -1;  ///< of a hushed one
  std::uint64_t starts_ = 0;
  std::uint64_t last_id_ = 0;
  std::string out_;
  std::size_t written_ = 0;
  bridge::LineBuffer in_;
  std::deque<std::uint64_t> unanswered_;
  std::deque<BridgeMessage> heard_;
  Steady::time_point last_word_{};  ///< or when it was first asked since
  Steady::time_point start_at_{};
  std::string trouble_{"it was not started yet"};
};

}  // namespace penstock
