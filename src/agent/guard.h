#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/time.h"

namespace penstock::agent {

enum class Level { note, warning };

/// Writes one line to the log; called in several processes.
using Log = std::function<void(Level, const std::string& text)>;

/// Exit codes of an agent and of its parts.
inline constexpr int kEnded = 0;        ///< stopped by a signal, and everything is reset
inline constexpr int kLeftSet = 1;      ///< something could not be reset, or the agent failed
inline constexpr int kNothingHere = 3;  ///< there is no GPU that could be controlled

/// The pipes between a worker and its guard.
struct GuardPipes {
  int heartbeats = -1;  ///< the worker writes kAlive, and kRound when a round is done
  int guard = -1;       ///< at its end when the guard is gone
};
inline constexpr char kAlive = 'a';
inline constexpr char kRound = 'r';

struct GuardOptions {
  Duration timeout =
      std::chrono::seconds(20);  ///< a worker without a heartbeat for so long is killed
  Log log{};
};

/// Keeps one worker running in a process of its own. After a worker that died or hung, another
/// process undoes what the worker left set. The guard itself does nothing that could hang. Ends on
/// a signal, or when the first worker finds no GPU.
class Guard {
 public:
  using Work = std::function<int(const GuardPipes&)>;
  using Cleanup = std::function<int()>;

  Guard(GuardOptions options, Work work, Cleanup clean_up);
  int run();

 private:
  struct Worker;
  enum class End { requested, nothing_here, died };

  bool start(Worker& worker);
  End watch(Worker& worker);
  void read_heartbeats(Worker& worker, int wait_ms);
  bool read_signals();
  std::optional<int> collect(Worker& worker);
  End kill_hung(Worker& worker);
  bool cleaned_up();
  void wait_before_restart();

  GuardOptions options_;
  Work work_;
  Cleanup cleanup_;
  int signals_ = -1;
  bool stopping_ = false;
  bool has_worked_ = false;  ///< some worker got through a round
  Duration pause_{};         ///< before the next worker
};

/// Runs `what` in a child process and returns its exit code; nothing if the child was killed, or
/// had to be killed because it took too long.
std::optional<int> run_in_child(const std::function<int()>& what, Duration timeout);

}  // namespace penstock::agent
