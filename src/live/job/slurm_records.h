#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace penstock {

// The beginnings of admin comments: of a job that is held for Penstock, of one that was released,
// and of one that is left to Slurm for good.
inline constexpr std::string_view kHeldMark = "penstock: held";
inline constexpr std::string_view kReleasedMark = "penstock: released";
inline constexpr std::string_view kLeftMark = "penstock: left";

/// A job as Slurm shows it; see docs/formats/bridge.md for what the words mean.
struct SlurmJob {
  enum class Phase : std::uint8_t { pending, running, ended };
  /// GPUs that it has on one node.
  struct Held {
    std::string node{};
    std::string type{};
    std::vector<std::uint32_t> indices{};
    friend bool operator==(const Held&, const Held&) = default;
  };

  std::int64_t number = 0;
  std::string ref{};          ///< what requests call it
  std::string array_tasks{};  ///< of a record that stands for tasks that wait together: "0,2-9"
  std::int64_t array_job = 0;
  std::string name{};
  std::string user{};
  std::string account{};
  std::string partition{};
  std::string comment{};
  std::string admin_comment{};
  std::string state{};  ///< Slurm's word
  Phase phase = Phase::pending;
  bool completing = false;  ///< its processes are still being ended
  std::string reason{};
  std::string dependency{};  ///< what it waits for: "afterok:12(unfulfilled)"
  bool held = false;
  bool batch = false;    ///< has a script: can be started again
  bool requeue = false;  ///< may be started again
  std::uint32_t restarts = 0;
  std::optional<Time> submitted{};
  std::optional<Time> eligible{};
  std::optional<Time> started{};
  std::optional<Time> ended{};
  std::optional<Duration> time_limit{};
  std::vector<std::string> nodes{};
  std::uint32_t node_count = 1;
  std::uint32_t gpus = 0;           ///< asked for in all
  std::uint32_t gpus_per_node = 0;  ///< the same on each node; 0 if that was not said
  std::string gpu_type{};           ///< asked for
  bool gpus_by_task = false;        ///< Slurm does not let such a number be changed
  std::vector<Held> gpus_held{};
  std::uint32_t clock_mhz = 0;
  std::string features{};
  std::string work_dir{};
  std::int64_t exit_code = 0;

  std::uint32_t gpus_held_count() const;
  /// Whether Penstock or job_submit.lua marked it as held for Penstock.
  bool is_marked() const { return admin_comment.starts_with(kHeldMark); }
  /// Whether it is held for Penstock, not by its owner.
  bool is_held_for_us() const { return held && is_marked(); }
};

struct SlurmNode {
  struct Gpus {
    std::string type{};
    std::uint32_t total = 0;
  };
  std::string name{};
  std::string state{};
  std::vector<std::string> flags{};
  std::vector<Gpus> gpus{};
  std::vector<std::string> partitions{};
  std::string reason{};

  /// Whether a job could start on it now, or once it is powered up.
  bool can_work() const;
  /// Why it cannot work, for people.
  std::string problem() const;
};

/// Nothing if the record has no number or no state; other members may be missing.
std::optional<SlurmJob> read_slurm_job(const nlohmann::json& record);
std::optional<SlurmNode> read_slurm_node(const nlohmann::json& record);

/// Numbers of "0,2-9", at most `most` of them.
std::vector<std::uint32_t> read_tasks(std::string_view text, std::size_t most);

}  // namespace penstock
