#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "bridge/command.h"
#include "journal/journal_writer.h"
#include "live/bridge/bridge_link.h"

namespace penstock {

/// Receives the bridge's answer to a command; null if there will be none. The function may be
/// empty.
using CommandReply = std::function<void(const nlohmann::json& body)>;

/// Something to ask of the cluster, once it is in the journal.
struct QueuedCommand {
  JournalRequest record{};
  bridge::Command command{};
  std::string ref{};  ///< the job that it is about, if it is about one
  CommandReply then{};
};

/// Asks Slurm for its jobs and nodes when that is due, sends commands, and matches what the bridge
/// says with what it was asked. It knows whether the cluster answers; other parts interpret the
/// answers.
class SlurmPoller {
 public:
  /// An answer for another part to handle. `body` is null if the bridge died before it answered,
  /// which happens to commands only.
  struct Reply {
    enum class To : std::uint8_t { jobs, one_job, nodes, command };
    To to = To::jobs;
    std::string ref{};        ///< of one job
    QueuedCommand command{};  ///< that is answered
    std::shared_ptr<const nlohmann::json> body{};
  };

  /// `connection` must outlive it.
  SlurmPoller(BridgeConnection& connection, Duration interval)
      : connection_(connection), interval_(interval) {}

  /// The next answer, if there is one. All jobs are asked for again soon if `many_change`, else
  /// after the usual interval. Polls that failed are not answers: they are repeated.
  std::optional<Reply> next(Time now, bool many_change);
  /// Sends the polls that are due, nodes first, so that nodes are known before jobs are reported.
  void ask_when_due(Time now);
  /// When ask_when_due() has something to do, as far as is known.
  Time next_due(Time now) const;
  void send(QueuedCommand command);

  void ask_about(const std::string& ref) { single_.insert(ref); }
  void poll_jobs_by(Time when) { next_jobs_ = std::min(next_jobs_, when); }
  /// With the next poll Slurm tells all jobs, whether or not they have changed.
  void forget_last_update() { jobs_since_ = 0; }
  void poll_nodes_at(Time when) { next_nodes_ = when; }
  /// Polls nodes as often as jobs: some may soon be back.
  void poll_nodes_often(Time now);

  /// A command could not be brought to the cluster.
  void set_unreachable(const std::string& why, Time now);
  void add_error() { ++errors_; }
  void set_last_error(const std::string& why) { last_error_ = why; }

  bool answers() const { return answers_; }  ///< the last poll was answered
  const std::string& last_error() const { return last_error_; }
  std::uint64_t errors() const { return errors_; }
  bool saw_jobs() const { return saw_jobs_; }  ///< at least once
  bool saw_nodes() const { return saw_nodes_; }

 private:
  struct Question {
    Reply::To to = Reply::To::jobs;
    std::string ref{};
    QueuedCommand command{};
  };
  void ask(Question question, const bridge::Command& command);
  /// What a message answers; nothing if it answers no question, or a poll that failed.
  std::optional<Reply> reply_from(const BridgeMessage& message, Time now);
  void on_lost(const Question& question, Time now);
  bool takes(const Question& question, const nlohmann::json& body, Time now);
  void on_jobs(const nlohmann::json& body, Time now, bool many_change);
  void on_nodes(Time now);

  BridgeConnection& connection_;
  Duration interval_;
  std::unordered_map<std::uint64_t, Question> questions_;  ///< by the number of the request
  std::set<std::string, std::less<>> single_;              ///< jobs to be asked about next
  bool jobs_asked_ = false;
  bool nodes_asked_ = false;
  std::int64_t jobs_since_ = 0;  ///< Slurm's time of the last answer to a poll of all jobs
  Time next_jobs_{};
  Time next_nodes_{};
  bool answers_ = false;
  bool saw_jobs_ = false;
  bool saw_nodes_ = false;
  std::string last_error_;
  std::uint64_t errors_ = 0;
};

}  // namespace penstock
