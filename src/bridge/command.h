#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace penstock::bridge {

/// The version of the protocol; docs/formats/bridge.md is its contract.
inline constexpr int kProtocol = 1;

/// A line longer than this is refused unread.
inline constexpr std::size_t kLongestLine = std::size_t{16} << 20;

/// A job as Slurm spells it: "12", or "12_3" for one task of an array.
using JobName = std::string;

struct Hello {};
struct ListPartitions {};

/// Lists all jobs, or one. With `since`, lists nothing if nothing has changed after that second;
/// with `news`, only jobs that have changed since they were last listed.
struct ListJobs {
  std::optional<JobName> job{};
  std::int64_t since = 0;
  bool news = false;
};

struct ListNodes {
  std::int64_t since = 0;
};

/// GPUs a job asks for, all of one type ("": any).
struct GpuRequest {
  std::optional<std::int64_t> per_node{};
  std::optional<std::int64_t> total{};
  std::string type{};
};

/// Changes to a job, sent to Slurm as one; what is absent stays. A job keeps the type of GPUs that
/// it asked for, if any: Slurm cannot change it.
struct UpdateJob {
  JobName job{};
  std::optional<bool> hold{};                       ///< false releases
  std::optional<std::vector<std::string>> nodes{};  ///< exactly these; none: any
  std::optional<std::int64_t> node_count{};
  std::optional<std::int64_t> gpus_per_node{};
  std::optional<std::int64_t> clock{};  ///< MHz; 0: as it comes
  bool start_now = false;
  std::optional<std::string> comment{};
  std::optional<std::string> admin_comment{};
  std::optional<std::int64_t> priority{};
  std::optional<std::int64_t> time_limit{};  ///< minutes
};

struct Requeue {
  JobName job{};
  bool hold = false;
};

enum class SignalTo { batch, steps, all };

struct SignalJob {
  JobName job{};
  int number = 0;
  SignalTo to = SignalTo::batch;
};

struct CancelJob {
  JobName job{};
};

enum class NodeChange { drain, resume, power_down, power_up };

struct ChangeNodes {
  NodeChange change = NodeChange::drain;
  std::vector<std::string> nodes{};
  std::string reason{};
};

/// A batch job; what is empty or absent is Slurm's default.
struct SubmitJob {
  std::string script{};
  std::string name{};
  std::string partition{};
  std::string account{};
  std::string comment{};
  std::string work_dir{};
  std::string std_out{};
  std::string array{};  ///< "0-9%2"
  std::map<std::string, std::string> environment{};
  GpuRequest gpus{};
  std::vector<std::string> nodes{};
  std::optional<std::int64_t> node_count{};
  std::optional<std::int64_t> cpus{};
  std::optional<std::int64_t> memory{};  ///< MB on each node
  std::optional<std::int64_t> clock{};
  std::optional<std::int64_t> time_limit{};
  bool hold = false;
  bool append = false;  ///< output of a restart follows the earlier one
};

/// Every command of the protocol.
using Command = std::variant<Hello, ListJobs, ListNodes, ListPartitions, UpdateJob, Requeue,
                             SignalJob, CancelJob, ChangeNodes, SubmitJob>;

/// The JSON object of a command, `{"do":"cancel","job":"12"}`; what is absent or a default is left
/// out. from_json() makes the same command of it if the command is valid.
std::string to_json(const Command& command);

/// A command from its JSON object; a member `id` is passed over. The error tells every problem.
Result<Command> from_json(const nlohmann::json& object);

/// The members of to_json(job) without `do` and without the braces, as the journal keeps them.
/// read_submit_members() reads them back, also a submission that from_json() would refuse.
std::string submit_members(const SubmitJob& job);
std::optional<SubmitJob> read_submit_members(std::string_view members);

/// One line from the caller of a bridge. `id` is the caller's, as JSON text ("null" where there was
/// none), and goes back with the answer also when the rest could not be read.
struct Request {
  std::string id = "null";
  Result<Command> command;
};

/// Parses one line. Every problem of the line is in the error of `command`.
Request parse_request(std::string_view line);

}  // namespace penstock::bridge
