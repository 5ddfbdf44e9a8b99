#include "bridge/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <nlohmann/json.hpp>
#include <utility>

#include "bridge/fields.h"

namespace penstock::bridge {
namespace {

constexpr std::int64_t kMostGpus = 1'000'000;
constexpr std::int64_t kMostNodes = 1'000'000;
constexpr std::int64_t kMostMegahertz = 100'000;
constexpr std::int64_t kMostMinutes = std::int64_t{100} * 366 * 24 * 60;
constexpr std::int64_t kMostPriority = 0xfffffff0;  // above it numbers have a meaning of their own
constexpr std::int64_t kLastSecond = std::int64_t{1} << 40;
constexpr std::size_t kLongestScript = std::size_t{4} << 20;

GpuWish read_gpus(Fields& fields) {
  GpuWish wish{.per_node = fields.whole("gpus_per_node", 1, kMostGpus),
               .total = fields.whole("gpus", 1, kMostGpus),
               .type = fields.word("gpu_type").value_or("")};
  if (wish.per_node && wish.total) fields.complain("gpus", "cannot go with gpus_per_node");
  if (!wish.type.empty() && !wish.per_node && !wish.total)
    fields.complain("gpu_type", "needs gpus_per_node or gpus");
  return wish;
}

Deed read_hello(Fields& fields) {
  if (const auto wanted = fields.whole("protocol", 1, 1'000'000); wanted && *wanted != kProtocol)
    fields.complain("protocol",
                    fmt::format("{} is not spoken here; there is: {}", *wanted, kProtocol));
  return Hello{};
}

Deed read_jobs(Fields& fields) {
  return ListJobs{.job = fields.job("job"),
                  .since = fields.whole("since", 0, kLastSecond).value_or(0),
                  .news = fields.yes_or_no("news").value_or(false)};
}

Deed read_nodes(Fields& fields) {
  return ListNodes{fields.whole("since", 0, kLastSecond).value_or(0)};
}

Deed read_partitions(Fields& /*fields*/) {
  return ListPartitions{};
}

Deed read_hold(Fields& fields) {
  return UpdateJob{.job = fields.needed_job(), .hold = true};
}

Deed read_release(Fields& fields) {
  return UpdateJob{.job = fields.needed_job(), .hold = false};
}

Deed read_update(Fields& fields) {
  return UpdateJob{.job = fields.needed_job(),
                   .hold = fields.yes_or_no("hold"),
                   .nodes = fields.words("nodes"),
                   .node_count = fields.whole("node_count", 1, kMostNodes),
                   .gpus_per_node = fields.whole("gpus_per_node", 1, kMostGpus),
                   .clock = fields.whole("clock_mhz", 0, kMostMegahertz),
                   .start_now = fields.yes_or_no("start_now").value_or(false),
                   .comment = fields.text("comment"),
                   .admin_comment = fields.text("admin_comment"),
                   .priority = fields.whole("priority", 1, kMostPriority),
                   .time_limit = fields.whole("time_limit_min", 1, kMostMinutes)};
}

Deed read_requeue(Fields& fields) {
  return Requeue{.job = fields.needed_job(), .hold = fields.yes_or_no("hold").value_or(false)};
}

constexpr auto kSignals = std::to_array<std::pair<std::string_view, int>>({
    {"SIGUSR1", SIGUSR1},
    {"SIGUSR2", SIGUSR2},
    {"SIGTERM", SIGTERM},
    {"SIGINT", SIGINT},
    {"SIGHUP", SIGHUP},
    {"SIGKILL", SIGKILL},
    {"SIGSTOP", SIGSTOP},
    {"SIGCONT", SIGCONT},
});

constexpr auto kTargets = std::to_array<std::pair<std::string_view, SignalTo>>({
    {"batch", SignalTo::batch},
    {"steps", SignalTo::steps},
    {"all", SignalTo::all},
});

template <class T, std::size_t n>
T choose(Fields& fields, const std::string& name,
         const std::array<std::pair<std::string_view, T>, n>& table, std::string_view otherwise) {
  const std::string said = fields.word(name).value_or(std::string(otherwise));
  const auto found = std::ranges::find(table, said, &std::pair<std::string_view, T>::first);
  if (found != table.end()) return found->second;
  std::string there_are;
  for (const auto& row : table) there_are += fmt::format(" {}", row.first);
  fields.complain(name, fmt::format("there is no '{}'; there are:{}", said, there_are));
  return table[0].second;
}

Deed read_signal(Fields& fields) {
  return SignalJob{.job = fields.needed_job(),
                   .number = choose(fields, "signal", kSignals, "SIGUSR1"),
                   .to = choose(fields, "to", kTargets, "batch")};
}

Deed read_cancel(Fields& fields) {
  return CancelJob{fields.needed_job()};
}

template <NodeDeed deed>
Deed read_node_deed(Fields& fields) {
  ChangeNodes change{.deed = deed,
                     .nodes = fields.words("nodes").value_or(std::vector<std::string>{}),
                     .reason = fields.text("reason").value_or("")};
  if (change.nodes.empty()) fields.complain("nodes", "names no node");
  if (deed == NodeDeed::drain && change.reason.empty()) fields.complain("reason", "is missing");
  return change;
}

bool is_array_of_tasks(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || c == ',' || c == '-' || c == ':' || c == '%';
  });
}

Deed read_submit(Fields& fields) {
  SubmitJob job{
      .script = fields.needed_text("script", kLongestScript),
      .name = fields.text("name").value_or(""),
      .partition = fields.word("partition").value_or(""),
      .account = fields.word("account").value_or(""),
      .comment = fields.text("comment").value_or(""),
      .work_dir = fields.needed_text("work_dir"),
      .std_out = fields.text("std_out").value_or(""),
      .array = fields.text("array").value_or(""),
      .environment = fields.environment("env").value_or(std::map<std::string, std::string>{}),
      .gpus = read_gpus(fields),
      .nodes = fields.words("nodes").value_or(std::vector<std::string>{}),
      .node_count = fields.whole("node_count", 1, kMostNodes),
      .cpus = fields.whole("cpus", 1, kMostNodes),
      .memory = fields.whole("memory_mb", 1, std::int64_t{1} << 40),
      .clock = fields.whole("clock_mhz", 1, kMostMegahertz),
      .time_limit = fields.whole("time_limit_min", 1, kMostMinutes),
      .hold = fields.yes_or_no("hold").value_or(false),
      .append = fields.yes_or_no("append").value_or(false)};
  if (!job.script.starts_with("#!")) fields.complain("script", "does not begin with #!");
  if (!job.work_dir.starts_with("/")) fields.complain("work_dir", "does not begin with /");
  if (!is_array_of_tasks(job.array)) fields.complain("array", "is not like 0-9 or 1,5,7-20:2%4");
  return job;
}

using Read = Deed(Fields&);
constexpr auto kRequests = std::to_array<std::pair<std::string_view, Read*>>({
    {"hello", read_hello},
    {"jobs", read_jobs},
    {"nodes", read_nodes},
    {"partitions", read_partitions},
    {"hold", read_hold},
    {"release", read_release},
    {"update", read_update},
    {"requeue", read_requeue},
    {"signal", read_signal},
    {"cancel", read_cancel},
    {"drain", read_node_deed<NodeDeed::drain>},
    {"resume", read_node_deed<NodeDeed::resume>},
    {"power_down", read_node_deed<NodeDeed::power_down>},
    {"power_up", read_node_deed<NodeDeed::power_up>},
    {"submit", read_submit},
});

Result<Deed> read_deed(const nlohmann::json& object) {
  Fields fields(object);
  fields.pass("id");
  const std::string wanted = fields.word("do").value_or("");
  const auto found =
      std::ranges::find(kRequests, wanted, &std::pair<std::string_view, Read*>::first);
  if (found == kRequests.end()) {
    std::string there_are;
    for (const auto& row : kRequests) there_are += fmt::format(" {}", row.first);
    return Error{fmt::format("do: there is no '{}'; there are:{}", wanted, there_are)};
  }
  Deed deed = found->second(fields);
  if (std::string problems = fields.problems(); !problems.empty())
    return Error{fmt::format("{}: {}", wanted, problems)};
  return deed;
}

}  // namespace

Request parse_request(std::string_view line) {
  if (line.size() > kLongestLine)
    return {.deed = Error{fmt::format("a line of more than {} bytes", kLongestLine)}};
  const auto object = nlohmann::json::parse(line, nullptr, false);
  if (object.is_discarded()) return {.deed = Error{"not a line of JSON in UTF-8"}};
  if (!object.is_object()) return {.deed = Error{"not a JSON object"}};
  const auto id = object.find("id");
  const bool has_id = id != object.end() && (id->is_number_integer() || id->is_string());
  if (!has_id) return {.deed = Error{"id: is missing, or neither a whole number nor text"}};
  return {.id = id->dump(), .deed = read_deed(object)};
}

}  // namespace penstock::bridge
