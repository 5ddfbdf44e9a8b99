#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/time.h"

namespace penstock::agent {

enum class Level { note, warning };

/// Where one line for the log goes; called in several processes.
using Log = std::function<void(Level, const std::string& text)>;

/// What an agent and its parts end with.
inline constexpr int kEnded = 0;        ///< as asked, and all is reset
inline constexpr int kLeftSet = 1;      ///< something could not be reset, or we failed
inline constexpr int kNothingHere = 3;  ///< no GPU that could be looked after

/// What ties a worker to its guard.
struct GuardPipes {
  int beats = -1;  ///< the worker writes: kAlive, and kRound when a round is done
  int guard = -1;  ///< at its end when the guard is gone
};
inline constexpr char kAlive = 'a';
inline constexpr char kRound = 'r';

struct GuardOptions {
  Duration patience = std::chrono::seconds(20);  ///< a worker without a beat for so long is killed
  Log log{};
};

/// Keeps a worker at work in a process of its own, and undoes in another what a worker left that
/// died or hangs. Itself it does nothing that could hang. Ends when told by a signal, or when the
/// first worker finds nothing here.
class Guard {
 public:
  using Work = std::function<int(const GuardPipes&)>;
  using Rescue = std::function<int()>;

  Guard(GuardOptions options, Work work, Rescue rescue);
  int run();

 private:
  struct Worker;
  enum class End { asked, nothing_here, died };

  bool start(Worker& worker);
  End watch(Worker& worker);
  void listen(Worker& worker, int wait_ms);
  bool hear_signals();
  std::optional<int> collect(Worker& worker);
  End give_up(Worker& worker);
  bool rescued();
  void rest();

  GuardOptions options_;
  Work work_;
  Rescue rescue_;
  int signals_ = -1;
  bool stopping_ = false;
  bool has_worked_ = false;  ///< some worker got through a round
  Duration pause_{};         ///< before the next worker
};

/// Runs it in a process of its own and gives what it ended with; nothing if it was killed, or had
/// to be because it took too long.
std::optional<int> run_apart(const std::function<int()>& what, Duration patience);

}  // namespace penstock::agent
