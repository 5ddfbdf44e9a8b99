#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

#include "agent/change_record.h"
#include "agent/daemon_link.h"
#include "agent/governor.h"
#include "agent/worker.h"
#include "app/commands.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

struct AgentOptions {
  std::string daemon = "http://127.0.0.1:7323";
  std::string token_file;
  std::string plan;
  std::string node;
  std::string site;
  std::string by = "clock";
  std::string command;
  std::string library = "libnvidia-ml.so.1";
  std::string state;
  std::string interval = "5 s";
  std::string timeout = "30 s";
  bool once = false;
};

/// The host's name as Slurm has it: up to the first dot.
std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  const std::string whole = name.data();
  return whole.substr(0, whole.find('.'));
}

std::string quote_log_text(std::string text) {
  for (char& c : text)
    if (c == '"' || (c >= 0 && c < ' ')) c = '\'';
  return '"' + text + '"';
}

agent::Log make_log(const std::string& node) {
  return [node](agent::Level level, const std::string& text) {
    const auto now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
    const std::string line = fmt::format(
        "time={} level={} program=agent node={} pid={} text={}\n", format_time(now),
        level == agent::Level::note ? "info" : "warning", node, getpid(), quote_log_text(text));
    std::fwrite(line.data(), 1, line.size(), stderr);
  };
}

Result<Duration> read_interval(const std::string& option, const std::string& text) {
  const auto length = parse_duration(text);
  if (length && *length >= 50ms && *length <= 1h) return *length;
  return Error{
      fmt::format("{}: '{}' is not a length of time from 50 ms to 1 h, such as 5 s", option, text)};
}

Result<Done> read_governor(const AgentOptions& given, agent::GovernorOptions& options) {
  const auto method = agent::parse_method(given.by);
  if (!method)
    return Error{
        fmt::format("--by: there is no way '{}'; there are: clock power command", given.by)};
  options.method = *method;
  options.command = agent::split_words(given.command);
  if (*method == agent::ClockMethod::command && options.command.empty())
    return Error{"--by command: which one? Give --command, such as /usr/local/sbin/set-clock"};
  return Done{};
}

/// How plans come: from a file, or from the daemon.
Result<Done> read_plan_source(const AgentOptions& given, Duration timeout,
                              agent::WorkerOptions& options) {
  if (!given.plan.empty()) {
    options.ask = [path = given.plan](const std::string&) { return agent::read_plan_file(path); };
    return Done{};
  }
  if (auto fine = agent::check_url(given.daemon); !fine)
    return std::move(fine).error().in("--daemon");
  agent::DaemonLink link{.url = given.daemon, .node = options.node};
  if (link.url.ends_with('/')) link.url.pop_back();
  link.timeout = std::min<Duration>(3s, timeout / 6);
  if (!given.token_file.empty()) {
    auto token = agent::read_token(given.token_file);
    if (!token) return std::move(token).error().in("--token-file");
    link.token = *token;
  }
  options.ask = [link](const std::string& report) { return agent::ask_daemon(link, report); };
  return Done{};
}

Result<agent::WorkerOptions> read_worker_options(const AgentOptions& given, Duration timeout) {
  agent::WorkerOptions options{.node = given.node.empty() ? host_name() : given.node,
                               .site = given.site,
                               .library = given.library,
                               .record = given.state};
  if (!agent::is_node_name(options.node))
    return Error{
        fmt::format("--node: '{}' is no name of letters, digits, '.', '_' and '-'", options.node)};
  if (options.record.empty()) options.record = "/run/penstock/agent-" + options.node + ".json";
  const auto interval = read_interval("--interval", given.interval);
  if (!interval) return interval.error();
  options.interval = *interval;
  if (timeout <= *interval) return Error{"--patience: must be longer than --interval"};
  options.governor.command_timeout = std::min<Duration>(5s, timeout / 2);
  options.log = make_log(options.node);
  if (auto done = read_governor(given, options.governor); !done) return std::move(done).error();
  if (given.once) return options;
  if (auto done = read_plan_source(given, timeout, options); !done) return std::move(done).error();
  return options;
}

/// In a process of its own: NVIDIA's library may hang.
int run_once(const agent::WorkerOptions& options, Duration timeout) {
  const auto report = [&options] {
    const auto text = agent::report_once(options);
    if (text) fmt::print("{}\n", *text);
    if (!text) remark(text.error().message);
    return text ? agent::kEnded : agent::kNothingHere;
  };
  const auto code = agent::run_in_child(report, timeout);
  if (code) return *code;
  remark(fmt::format("NVIDIA's library has not answered within {:g} s, or died", seconds(timeout)));
  return kExitInternal;
}

/// Said at once and in one line, not by a worker that comes and goes.
bool has_gpus(const agent::WorkerOptions& options, Duration timeout) {
  const auto look = [&options] {
    const auto fine = agent::look_for_gpus(options);
    if (!fine) options.log(agent::Level::warning, fine.error().message);
    return fine ? agent::kEnded : agent::kNothingHere;
  };
  return agent::run_in_child(look, timeout) != agent::kNothingHere;  // one that hangs is guarded
}

/// Another agent may be about to end.
Result<Descriptor> acquire_agent_lock(const agent::WorkerOptions& options, Duration timeout) {
  auto agent_lock = agent::acquire_agent_lock(options.record, Duration::zero());
  if (agent_lock || access((options.record + ".lock").c_str(), W_OK) != 0) return agent_lock;
  options.log(agent::Level::note, fmt::format("{}; its end is waited for, {:g} s at most",
                                              agent_lock.error().message, seconds(timeout)));
  return agent::acquire_agent_lock(options.record, timeout);
}

int run_agent(const AgentOptions& given) {
  const auto timeout = read_interval("--patience", given.timeout);
  if (!timeout) return refuse(timeout.error().message);
  const auto options = read_worker_options(given, *timeout);
  if (!options) return refuse(options.error().message);
  if (given.once) return run_once(*options, *timeout);
  if (!has_gpus(*options, *timeout)) return agent::kNothingHere;
  const auto agent_lock = acquire_agent_lock(*options, *timeout);
  if (!agent_lock) return refuse(agent_lock.error().message);
  agent::Guard guard(
      {.timeout = *timeout, .log = options->log},
      [&](const agent::GuardPipes& pipes) { return agent::work(*options, pipes); },
      [&] { return agent::clean_up(*options); });
  return guard.run();
}

void add_agent_options(CLI::App& command, AgentOptions& given) {
  command.add_option("--daemon", given.daemon, "Where `penstock serve` listens")
      ->envname("PENSTOCK_DAEMON")
      ->capture_default_str();
  command.add_option("--token-file", given.token_file, "File with the daemon's token")
      ->envname("PENSTOCK_TOKEN_FILE");
  command.add_option("--plan", given.plan, "Follow the plan in this file (JSON), without a daemon");
  command.add_option("--node", given.node, "This node's name; else the host's");
  command.add_option("--site", given.site, "This node's site, where there are several");
  command.add_option("--by", given.by, "How to slow GPUs down: clock, power or command")
      ->capture_default_str();
  command.add_option("--command", given.command,
                     "Run COMMAND INDEX MHZ|reset where NVIDIA's library lacks the rights");
  command.add_option("--library", given.library, "NVIDIA's management library")
      ->capture_default_str();
  command.add_option("--state", given.state,
                     "File that remembers what is set (/run/penstock/agent-NODE.json)");
  command.add_option("--interval", given.interval, "Between reports")->capture_default_str();
  command.add_option("--patience", given.timeout, "With a library that hangs")
      ->capture_default_str();
  command.add_flag("--once", given.once, "Print one report (JSON) and end; changes nothing");
}

}  // namespace

void add_agent(CLI::App& app, int& exit_code) {
  auto given = std::make_shared<AgentOptions>();
  CLI::App* command =
      app.add_subcommand("agent", "On each node: set GPU clocks as planned, report their power");
  add_agent_options(*command, *given);
  command->footer(
      "Ends with 0 when told to, 1 when a GPU could not be reset, 2 for bad options, 3 without a "
      "GPU.\nExample: penstock agent --once\n         penstock agent --daemon http://10.0.0.1:7323 "
      "--token-file /etc/penstock/token");
  command->callback([given, &exit_code] { exit_code = run_agent(*given); });
}

}  // namespace penstock
