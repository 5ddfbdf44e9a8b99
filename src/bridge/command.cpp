#include "bridge/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/check.h"
#include "bridge/fields.h"
#include "bridge/json_writer.h"

namespace penstock::bridge {
namespace {

constexpr std::int64_t kMostGpus = 1'000'000;
constexpr std::int64_t kMostNodes = 1'000'000;
constexpr std::int64_t kMostMegahertz = 100'000;
constexpr std::int64_t kMostMinutes = std::int64_t{100} * 366 * 24 * 60;
constexpr std::int64_t kMostPriority = 0xfffffff0;  // above it numbers have a meaning of their own
constexpr std::int64_t kLastSecond = std::int64_t{1} << 40;
constexpr std::size_t kLongestScript = std::size_t{4} << 20;

GpuRequest read_gpus(Fields& fields) {
  GpuRequest gpus{.per_node = fields.whole("gpus_per_node", 1, kMostGpus),
                  .total = fields.whole("gpus", 1, kMostGpus),
                  .type = fields.word("gpu_type").value_or("")};
  if (gpus.per_node && gpus.total) fields.add_problem("gpus", "cannot go with gpus_per_node");
  if (!gpus.type.empty() && !gpus.per_node && !gpus.total)
    fields.add_problem("gpu_type", "needs gpus_per_node or gpus");
  return gpus;
}

Command read_hello(Fields& fields) {
  if (const auto wanted = fields.whole("protocol", 1, 1'000'000); wanted && *wanted != kProtocol)
    fields.add_problem("protocol",
                       fmt::format("{} is not spoken here; there is: {}", *wanted, kProtocol));
  return Hello{};
}

Command read_jobs(Fields& fields) {
  return ListJobs{.job = fields.job("job"),
                  .since = fields.whole("since", 0, kLastSecond).value_or(0),
                  .news = fields.boolean("news").value_or(false)};
}

Command read_nodes(Fields& fields) {
  return ListNodes{fields.whole("since", 0, kLastSecond).value_or(0)};
}

Command read_partitions(Fields& /*fields*/) {
  return ListPartitions{};
}

Command read_hold(Fields& fields) {
  return UpdateJob{.job = fields.needed_job(), .hold = true};
}

Command read_release(Fields& fields) {
  return UpdateJob{.job = fields.needed_job(), .hold = false};
}

Command read_update(Fields& fields) {
  return UpdateJob{.job = fields.needed_job(),
                   .hold = fields.boolean("hold"),
                   .nodes = fields.words("nodes"),
                   .node_count = fields.whole("node_count", 1, kMostNodes),
                   .gpus_per_node = fields.whole("gpus_per_node", 1, kMostGpus),
                   .clock = fields.whole("clock_mhz", 0, kMostMegahertz),
                   .start_now = fields.boolean("start_now").value_or(false),
                   .comment = fields.text("comment"),
                   .admin_comment = fields.text("admin_comment"),
                   .priority = fields.whole("priority", 1, kMostPriority),
                   .time_limit = fields.whole("time_limit_min", 1, kMostMinutes)};
}

Command read_requeue(Fields& fields) {
  return Requeue{.job = fields.needed_job(), .hold = fields.boolean("hold").value_or(false)};
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
  const std::string given = fields.word(name).value_or(std::string(otherwise));
  const auto found = std::ranges::find(table, given, &std::pair<std::string_view, T>::first);
  if (found != table.end()) return found->second;
  std::string there_are;
  for (const auto& row : table) there_are += fmt::format(" {}", row.first);
  fields.add_problem(name, fmt::format("there is no '{}'; there are:{}", given, there_are));
  return table[0].second;
}

Command read_signal(Fields& fields) {
  return SignalJob{.job = fields.needed_job(),
                   .number = choose(fields, "signal", kSignals, "SIGUSR1"),
                   .to = choose(fields, "to", kTargets, "batch")};
}

Command read_cancel(Fields& fields) {
  return CancelJob{fields.needed_job()};
}

template <NodeChange kind>
Command read_node_change(Fields& fields) {
  ChangeNodes change{.change = kind,
                     .nodes = fields.words("nodes").value_or(std::vector<std::string>{}),
                     .reason = fields.text("reason").value_or("")};
  if (change.nodes.empty()) fields.add_problem("nodes", "names no node");
  if (kind == NodeChange::drain && change.reason.empty())
    fields.add_problem("reason", "is missing");
  return change;
}

bool is_array_of_tasks(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || c == ',' || c == '-' || c == ':' || c == '%';
  });
}

Command read_submit(Fields& fields) {
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
      .hold = fields.boolean("hold").value_or(false),
      .append = fields.boolean("append").value_or(false)};
  if (!job.script.starts_with("#!")) fields.add_problem("script", "does not begin with #!");
  if (!job.work_dir.starts_with("/")) fields.add_problem("work_dir", "does not begin with /");
  if (!is_array_of_tasks(job.array)) fields.add_problem("array", "is not like 0-9 or 1,5,7-20:2%4");
  return job;
}

using Read = Command(Fields&);
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
    {"drain", read_node_change<NodeChange::drain>},
    {"resume", read_node_change<NodeChange::resume>},
    {"power_down", read_node_change<NodeChange::power_down>},
    {"power_up", read_node_change<NodeChange::power_up>},
    {"submit", read_submit},
});

using Signal = std::pair<std::string_view, int>;
using Target = std::pair<std::string_view, SignalTo>;

void put(JsonWriter& out, std::string_view name, const std::string& text) {
  if (!text.empty()) out.name(name).text(std::string_view(text));
}

void put(JsonWriter& out, std::string_view name, const std::optional<std::int64_t>& number) {
  if (number) out.name(name).number(*number);
}

void put_true(JsonWriter& out, std::string_view name, bool value) {
  if (value) out.name(name).boolean(true);
}

void put_job(JsonWriter& out, const JobName& job) {
  out.name("job").text(std::string_view(job));
}

void write(const Hello& /*command*/, JsonWriter& out) {
  out.name("do").text(std::string_view("hello"));
}

void write(const ListPartitions& /*command*/, JsonWriter& out) {
  out.name("do").text(std::string_view("partitions"));
}

void write(const ListJobs& command, JsonWriter& out) {
  out.name("do").text(std::string_view("jobs"));
  if (command.job) put_job(out, *command.job);
  put_true(out, "news", command.news);
  if (command.since > 0) out.name("since").number(command.since);
}

void write(const ListNodes& command, JsonWriter& out) {
  out.name("do").text(std::string_view("nodes"));
  if (command.since > 0) out.name("since").number(command.since);
}

void write(const UpdateJob& command, JsonWriter& out) {
  out.name("do").text(std::string_view("update"));
  put_job(out, command.job);
  if (command.hold) out.name("hold").boolean(*command.hold);
  if (command.nodes) out.name("nodes").texts(*command.nodes);
  put(out, "node_count", command.node_count);
  put(out, "gpus_per_node", command.gpus_per_node);
  put(out, "clock_mhz", command.clock);
  put_true(out, "start_now", command.start_now);
  if (command.comment) out.name("comment").text(std::string_view(*command.comment));
  if (command.admin_comment)
    out.name("admin_comment").text(std::string_view(*command.admin_comment));
  put(out, "priority", command.priority);
  put(out, "time_limit_min", command.time_limit);
}

void write(const Requeue& command, JsonWriter& out) {
  out.name("do").text(std::string_view("requeue"));
  put_job(out, command.job);
  put_true(out, "hold", command.hold);
}

void write(const SignalJob& command, JsonWriter& out) {
  const auto signal = std::ranges::find(kSignals, command.number, &Signal::second);
  const auto target = std::ranges::find(kTargets, command.to, &Target::second);
  PENSTOCK_CHECK(signal != kSignals.end() && target != kTargets.end());
  out.name("do").text(std::string_view("signal"));
  put_job(out, command.job);
  out.name("signal").text(signal->first).name("to").text(target->first);
}

void write(const CancelJob& command, JsonWriter& out) {
  out.name("do").text(std::string_view("cancel"));
  put_job(out, command.job);
}

void write(const ChangeNodes& command, JsonWriter& out) {
  static constexpr std::array<std::string_view, 4> kVerbs{"drain", "resume", "power_down",
                                                          "power_up"};
  out.name("do").text(kVerbs[static_cast<std::size_t>(command.change)]);
  out.name("nodes").texts(command.nodes);
  put(out, "reason", command.reason);
}

/// Members in the order of their names.
void write(const SubmitJob& job, JsonWriter& out) {
  out.name("do").text(std::string_view("submit"));
  put(out, "account", job.account);
  put_true(out, "append", job.append);
  put(out, "array", job.array);
  put(out, "clock_mhz", job.clock);
  put(out, "comment", job.comment);
  put(out, "cpus", job.cpus);
  if (!job.environment.empty()) {
    out.name("env").open_object();
    for (const auto& [name, value] : job.environment) out.name(name).text(std::string_view(value));
    out.close_object();
  }
  put(out, "gpu_type", job.gpus.type);
  put(out, "gpus", job.gpus.total);
  put(out, "gpus_per_node", job.gpus.per_node);
  put_true(out, "hold", job.hold);
  put(out, "memory_mb", job.memory);
  put(out, "name", job.name);
  put(out, "node_count", job.node_count);
  if (!job.nodes.empty()) out.name("nodes").texts(job.nodes);
  put(out, "partition", job.partition);
  put(out, "script", job.script);
  put(out, "std_out", job.std_out);
  put(out, "time_limit_min", job.time_limit);
  put(out, "work_dir", job.work_dir);
}

constexpr std::string_view kSubmitHead = "{\"do\":\"submit\",";

}  // namespace

std::string to_json(const Command& command) {
  JsonWriter out;
  out.open_object();
  std::visit([&](const auto& each) { write(each, out); }, command);
  out.close_object();
  return out.written();
}

std::string submit_members(const SubmitJob& job) {
  const std::string all = to_json(job);
  return all.substr(kSubmitHead.size(), all.size() - kSubmitHead.size() - 1);
}

std::optional<SubmitJob> read_submit_members(std::string_view members) {
  const auto object = nlohmann::json::parse("{" + std::string(members) + "}", nullptr, false);
  if (!object.is_object()) return std::nullopt;
  const auto text = [&](const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
  };
  const auto whole = [&](const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_number_integer()
               ? std::optional(found->get<std::int64_t>())
               : std::nullopt;
  };
  const auto append = object.find("append");
  return SubmitJob{.script = text("script"),
                   .name = text("name"),
                   .partition = text("partition"),
                   .account = text("account"),
                   .comment = text("comment"),
                   .work_dir = text("work_dir"),
                   .std_out = text("std_out"),
                   .gpus = {.total = whole("gpus"), .type = text("gpu_type")},
                   .node_count = whole("node_count"),
                   .time_limit = whole("time_limit_min"),
                   .append = append != object.end() && *append == true};
}

Result<Command> from_json(const nlohmann::json& object) {
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
  Command command = found->second(fields);
  if (std::string problems = fields.problems(); !problems.empty())
    return Error{fmt::format("{}: {}", wanted, problems)};
  return command;
}

Request parse_request(std::string_view line) {
  if (line.size() > kLongestLine)
    return {.command = Error{fmt::format("a line of more than {} bytes", kLongestLine)}};
  const auto object = nlohmann::json::parse(line, nullptr, false);
  if (object.is_discarded()) return {.command = Error{"not a line of JSON in UTF-8"}};
  if (!object.is_object()) return {.command = Error{"not a JSON object"}};
  const auto id = object.find("id");
  const bool has_id = id != object.end() && (id->is_number_integer() || id->is_string());
  if (!has_id) return {.command = Error{"id: is missing, or neither a whole number nor text"}};
  return {.id = id->dump(), .command = from_json(object)};
}

}  // namespace penstock::bridge
