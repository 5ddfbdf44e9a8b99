#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "app/commands.h"
#include "training/training.h"

namespace penstock {
namespace {

/// As given on the command line. What routers and queues have in common is in `queue`.
struct TrainOptions {
  QueueTrainingRequest queue{};
  GeoTrainingRequest geo{};  ///< what only routers have
  std::string net = "kernel";
  std::string backfill = "easy";
  std::string reward = "cost";
  std::string critic{};  ///< as the policy has it, unless given
  bool no_waiting = false;
  bool no_transfer_cost = false;
  std::optional<double> policy_rate{};
  std::optional<double> softness{};
  std::optional<double> entropy{};
  bool no_progress = false;
};

GeoTrainingRequest router_request(const TrainOptions& options, const GeoVariant& variant) {
  const QueueTrainingRequest& queue = options.queue;
  GeoTrainingRequest request = options.geo;
  request.files = queue.files;
  GeoDataRequest& data = request.data;
  data.scenario = queue.data.scenario;
  data.overrides = queue.data.overrides;
  data.episode = queue.data.episodes.tasks;
  data.episodes = queue.data.episodes.count;
  data.validation = queue.data.validation;
  data.held_out = queue.data.held_out;
  data.seed = queue.data.seed;
  GeoTrainingSettings& settings = request.settings;
  settings.variant = variant;
  if (!options.critic.empty()) settings.variant.joint_critic = options.critic == "joint";
  settings.waiting = !options.no_waiting;
  settings.transfers = !options.no_transfer_cost;
  settings.updates = queue.settings.updates;
  settings.worlds = queue.settings.worlds;
  settings.validate_every = queue.settings.validate_every;
  settings.patience = queue.settings.patience;
  settings.seed = queue.data.seed;
  settings.threads = queue.data.threads;
  settings.ppo.policy_rate = options.policy_rate.value_or(settings.ppo.policy_rate);
  settings.ppo.entropy = options.entropy.value_or(settings.ppo.entropy);
  settings.softness = options.softness.value_or(settings.softness);
  return request;
}

QueueTrainingRequest queue_request(const TrainOptions& options) {
  QueueTrainingRequest request = options.queue;
  QueueTrainingSettings& settings = request.settings;
  settings.kind = options.net == "kernel" ? ActorKind::kernel : ActorKind::attention;
  settings.seed = request.data.seed;
  settings.threads = request.data.threads;
  settings.ppo.policy_rate = options.policy_rate.value_or(settings.ppo.policy_rate);
  settings.ppo.entropy = options.entropy.value_or(settings.ppo.entropy);
  settings.softness = options.softness.value_or(settings.softness);
  request.data.rules.queue.backfill = options.backfill == "easy" ? Backfill::easy : Backfill::none;
  request.data.weighing = options.reward == "cost" ? Weighing::by_cost : Weighing::alike;
  return request;
}

/// Shows progress on stderr: one line rewritten on a terminal, one every few seconds elsewhere.
class TrainingProgressLine {
 public:
  TrainingProgressLine() : terminal_(isatty(STDERR_FILENO) != 0) {}

  void start() { begun_ = printed_ = Clock::now(); }
  void show(const TrainingReport& report) {
    const CurvePoint& last = report.curve.back();
    shown_ = true;
    decisions_ += last.decisions;
    updates_ += last.update > 0 ? 1 : 0;
    const bool is_due = last.update == 0 || since(printed_) > (terminal_ ? 0.1 : 5.0);
    if (!is_due) return;
    const std::string text = progress_text(report, {since(begun_), decisions_, updates_});
    printed_ = Clock::now();
    const bool keep = !terminal_ || last.update == 0;
    fmt::print(stderr, "{}{}{}", terminal_ ? "\r\x1b[K" : "", text, keep ? "\n" : "");
  }
  void clear() const {
    if (shown_ && terminal_) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double since(Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
  }
  bool terminal_;
  bool shown_ = false;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point printed_ = begun_;
  std::uint64_t decisions_ = 0;
  std::size_t updates_ = 0;
};

Result<Done> train(const TrainOptions& options) {
  TrainingProgressLine line;
  TrainingCallbacks callbacks{
      .note = [](std::string_view text) { remark(fmt::format("note: {}", text)); }};
  if (!options.no_progress) {
    callbacks.started = [&](std::string_view text) {
      remark(text);
      line.start();
    };
    callbacks.progress = [&](const TrainingReport& report) { line.show(report); };
  }
  const GeoVariant* variant = find_geo_variant(options.queue.policy);
  const auto result = variant != nullptr ? train_geo(router_request(options, *variant), callbacks)
                                         : train_queue(queue_request(options), callbacks);
  line.clear();
  if (!result) return result.error();
  fmt::print("{}", result->table);
  const TrainingFiles& files = options.queue.files;
  remark(fmt::format("wrote {}, {} and {}", files.out, files.csv_path(), files.plot_path()));
  return Done{};
}

template <class Named>
std::vector<std::string> names_of(std::span<const Named> all) {
  std::vector<std::string> names;
  for (const Named& each : all) names.emplace_back(each.name);
  return names;
}

/// "a, b and c". At least two.
std::string enumerated(const std::vector<std::string>& names) {
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

std::vector<std::string> names_to_train() {
  std::vector<std::string> names = names_of(trained_policies());
  for (const GeoVariant& variant : geo_variants()) names.emplace_back(variant.name);
  return names;
}

std::string policy_help(const std::string& usual) {
  std::string text;
  for (const TrainedPolicy& policy : trained_policies())
    text += fmt::format("{}: {}; ", policy.name, policy.networks);
  return text + fmt::format("routers between sites: {} ({})",
                            fmt::join(names_of(geo_variants()), ", "), usual);
}

void add_what(CLI::App& command, TrainOptions& options) {
  command.add_option("SCENARIO", options.queue.data.scenario, "Scenario file (TOML)")->required();
  command.add_option("--policy", options.queue.policy, policy_help(options.queue.policy))
      ->check(CLI::IsMember(names_to_train()));
  command
      .add_option("--out", options.queue.files.out, "Weights to write; the curve goes beside it")
      ->required();
  command
      .add_option("--teachers", options.queue.teachers,
                  "Orders to learn from before improving on them, or none (mars: sjf,f1,wfp3; rl: "
                  "none)")
      ->delimiter(',');
  command.add_option("--net", options.net, "kernel or attention (kernel)")
      ->check(CLI::IsMember({"kernel", "attention"}));
  command.add_option("--backfill", options.backfill, "Backfill rule: none or easy (easy)")
      ->check(CLI::IsMember({"none", "easy"}));
  command
      .add_option("--reward", options.reward,
                  "cost (bounded slowdown x what the job costs) or slowdown (cost)")
      ->check(CLI::IsMember({"cost", "slowdown"}));
  command
      .add_option("--set", options.queue.data.overrides,
                  "Change a key of the scenario: workload.until=2022-10-15")
      ->allow_extra_args(false);
}

void add_how(CLI::App& command, TrainOptions& options) {
  const auto count = [&](const char* name, std::uint32_t& value, std::uint32_t least,
                         const std::string& meaning) {
    command.add_option(name, value, fmt::format("{} ({})", meaning, value))
        ->check(CLI::Range(least, 1'000'000u));
  };
  count("--updates", options.queue.settings.updates, 1, "Updates of each network");
  count("--episode", options.queue.data.episodes.tasks, 2, "Consecutive jobs in an episode");
  count("--episodes", options.queue.data.episodes.count, 1, "Different episodes to train on");
  count("--worlds", options.queue.settings.worlds, 1, "Episodes played side by side for an update");
  count("--window", options.queue.data.rules.window, 2, "Ready jobs that a network sees");
  count("--validation", options.queue.data.validation, 1, "Episodes to judge by");
  count("--validate-every", options.queue.settings.validate_every, 1,
        "Updates between validations");
  count("--patience", options.queue.settings.patience, 1,
        "Validations without a better one, then stop");
  count("--checkpoint-every", options.queue.files.checkpoint_every, 1,
        "Updates between checkpoints");
  command
      .add_option("--held-out", options.queue.data.held_out,
                  "The last part of the jobs, for validation alone (0.2)")
      ->check(CLI::Range(0.01, 0.99));
  command
      .add_option("--gpu-hour-rate", options.queue.data.per_gpu_hour,
                  "What holding a GPU for an hour costs beside its energy (0)")
      ->check(CLI::Range(0.0, 1e9));
  command
      .add_option("--policy-rate", options.policy_rate, "Step of the actor (0.001; routers 0.0005)")
      ->check(CLI::Range(0.0, 1.0));
  command
      .add_option("--softness", options.softness, "Entropy (nats) after cloning (1; routers 0.3)")
      ->check(CLI::Range(0.0, 10.0));
  command.add_option("--entropy", options.entropy, "Entropy bonus (0.001; routers 0.01)")
      ->check(CLI::Range(0.0, 100.0));
}

void add_router(CLI::App& command, TrainOptions& options) {
  command.add_option("--site", options.geo.data.site,
                     "Routers: the policy of each site (fifo:backfill=easy)");
  command
      .add_option("--slack", options.geo.data.slack,
                  "Routers: jobs without a deadline may wait for this part of the time they ask")
      ->check(CLI::Range(0.0, 1e3));
  command
      .add_option("--teacher", options.geo.teacher,
                  "Routers: router to imitate first: thrifty, thrifty-wait or none (thrifty)")
      ->check(CLI::IsMember(names_of(geo_teachers())));
  command
      .add_option("--weeks", options.geo.data.weeks,
                  "Routers: episodes begin up to so many weeks later than in the trace, by chance")
      ->check(CLI::Range(0u, 520u));
  command
      .add_option("--validation-set", options.geo.data.validation_overrides,
                  "Routers: judge by this scenario with a key changed, not by jobs held out")
      ->allow_extra_args(false);
}

/// What a training can do without, to learn what it is worth.
void add_ablations(CLI::App& command, TrainOptions& options) {
  command
      .add_option("--critic", options.critic,
                  "Routers: joint (sees what sites keep to themselves, in training) or local "
                  "(joint; independent-rl: local)")
      ->check(CLI::IsMember({"joint", "local"}));
  command.add_flag("--no-waiting", options.no_waiting, "Routers: no job is ever told to wait");
  command.add_flag("--no-transfer-cost", options.no_transfer_cost,
                   "Routers: are not told that sending files costs, and do not pay for it");
}

/// What only one kind of network has is refused for the other, not ignored.
Result<Done> refuse_options(const CLI::App& command, const std::string& policy) {
  const bool routes = find_geo_variant(policy) != nullptr;
  const std::vector<const char*> of_queues{"--teachers", "--net",           "--backfill",
                                           "--reward",   "--gpu-hour-rate", "--window"};
  const std::vector<const char*> of_routers{"--site",       "--slack",           "--teacher",
                                            "--weeks",      "--validation-set",  "--critic",
                                            "--no-waiting", "--no-transfer-cost"};
  for (const char* option : routes ? of_queues : of_routers)
    if (command.count(option) > 0)
      return Error{fmt::format(
          "{}: {} has no such option; it is for {}", option, policy,
          enumerated(routes ? names_of(trained_policies()) : names_of(geo_variants())))};
  return Done{};
}

void add_run(CLI::App& command, TrainOptions& options) {
  options.queue.data.threads = std::max(1u, std::thread::hardware_concurrency());
  command.add_option("--seed", options.queue.data.seed, "Of episodes, networks and choices (1)");
  command.add_option("--jobs", options.queue.data.threads, "Threads (default: all cores)")
      ->check(CLI::Range(1u, 1024u));
  command.add_flag("--resume", options.queue.files.resume, "Go on from WEIGHTS.checkpoint");
  command.add_option("--csv", options.queue.files.csv, "Where the curve goes (WEIGHTS.csv)");
  command.add_option("--plot", options.queue.files.plot, "Where its picture goes (WEIGHTS.svg)");
  command.add_flag("--no-progress", options.no_progress, "Do not show progress");
}

}  // namespace

void add_train(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* command =
      app.add_subcommand("train", "Train the networks of the policies rl and mars, and of routers");
  add_what(*command, *options);
  add_how(*command, *options);
  add_router(*command, *options);
  add_ablations(*command, *options);
  add_run(*command, *options);
  command->footer(
      "Example: penstock train data/studies/mars/lublin.toml --policy rl --updates 3 --episode 64 "
      "--worlds 8 --out rl.safetensors");
  command->callback([options, command, &exit_code] {
    auto done = refuse_options(*command, options->queue.policy);
    if (done) done = train(*options);
    if (!done) exit_code = refuse(done.error().message);
  });
}

}  // namespace penstock
