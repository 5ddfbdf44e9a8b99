#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <thread>

#include "app/commands.h"
#include "app/train_geo.h"
#include "app/train_queue.h"

namespace penstock {
namespace {

/// As given. What routers and queues both have goes to both.
struct Given {
  QueueTrainRequest queue{};
  GeoTrainRequest geo{};  ///< what only routers have
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

GeoTrainRequest router_request(const Given& given, const GeoVariant& variant) {
  const QueueTrainRequest& queue = given.queue;
  GeoTrainRequest request = given.geo;
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
  if (!given.critic.empty()) settings.variant.joint_critic = given.critic == "joint";
  settings.waiting = !given.no_waiting;
  settings.transfers = !given.no_transfer_cost;
  settings.updates = queue.settings.updates;
  settings.worlds = queue.settings.worlds;
  settings.validate_every = queue.settings.validate_every;
  settings.patience = queue.settings.patience;
  settings.seed = queue.data.seed;
  settings.threads = queue.data.threads;
  settings.ppo.policy_rate = given.policy_rate.value_or(settings.ppo.policy_rate);
  settings.ppo.entropy = given.entropy.value_or(settings.ppo.entropy);
  settings.softness = given.softness.value_or(settings.softness);
  return request;
}

QueueTrainRequest queue_request(const Given& given) {
  QueueTrainRequest request = given.queue;
  QueueTrainingSettings& settings = request.settings;
  settings.kind = given.net == "kernel" ? ActorKind::kernel : ActorKind::attention;
  settings.seed = request.data.seed;
  settings.threads = request.data.threads;
  settings.ppo.policy_rate = given.policy_rate.value_or(settings.ppo.policy_rate);
  settings.ppo.entropy = given.entropy.value_or(settings.ppo.entropy);
  settings.softness = given.softness.value_or(settings.softness);
  request.data.rules.queue.backfill = given.backfill == "easy" ? Backfill::easy : Backfill::none;
  request.data.weighing = given.reward == "cost" ? Weighing::by_cost : Weighing::alike;
  return request;
}

Result<Done> train(Given given) {
  TrainFiles& files = given.queue.files;
  files.shown = !given.no_progress;
  if (files.csv.empty()) files.csv = files.out + ".csv";
  if (files.plot.empty()) files.plot = files.out + ".svg";
  if (const GeoVariant* variant = find_geo_variant(given.queue.policy))
    return train_geo(router_request(given, *variant));
  return train_queue(queue_request(given));
}

void add_what(CLI::App& command, Given& given) {
  command.add_option("SCENARIO", given.queue.data.scenario, "Scenario file (TOML)")->required();
  command
      .add_option("--policy", given.queue.policy,
                  "rl: one network; mars: one for each teacher; routers between sites: marl, "
                  "independent-rl, single-rl (mars)")
      ->check(CLI::IsMember({"rl", "mars", "marl", "independent-rl", "single-rl"}));
  command.add_option("--out", given.queue.files.out, "Weights to write; the curve goes beside it")
      ->required();
  command
      .add_option("--teachers", given.queue.teachers,
                  "Orders to learn from before improving on them, or none (mars: sjf,f1,wfp3; rl: "
                  "none)")
      ->delimiter(',');
  command.add_option("--net", given.net, "kernel or attention (kernel)")
      ->check(CLI::IsMember({"kernel", "attention"}));
  command.add_option("--backfill", given.backfill, "Who passes: none or easy (easy)")
      ->check(CLI::IsMember({"none", "easy"}));
  command
      .add_option("--reward", given.reward,
                  "cost (bounded slowdown x what the job costs) or slowdown (cost)")
      ->check(CLI::IsMember({"cost", "slowdown"}));
  command
      .add_option("--set", given.queue.data.overrides,
                  "Change a key of the scenario: workload.until=2022-10-15")
      ->allow_extra_args(false);
}

void add_how(CLI::App& command, Given& given) {
  const auto count = [&](const char* name, std::uint32_t& value, std::uint32_t least,
                         const std::string& meaning) {
    command.add_option(name, value, fmt::format("{} ({})", meaning, value))
        ->check(CLI::Range(least, 1'000'000u));
  };
  count("--updates", given.queue.settings.updates, 1, "Updates of each network");
  count("--episode", given.queue.data.episodes.tasks, 2, "Consecutive jobs in an episode");
  count("--episodes", given.queue.data.episodes.count, 1, "Different episodes to train on");
  count("--worlds", given.queue.settings.worlds, 1, "Episodes played side by side for an update");
  count("--window", given.queue.data.rules.window, 2, "Ready jobs that a network sees");
  count("--validation", given.queue.data.validation, 1, "Episodes to judge by");
  count("--validate-every", given.queue.settings.validate_every, 1, "Updates between validations");
  count("--patience", given.queue.settings.patience, 1,
        "Validations without a better one, then stop");
  count("--checkpoint-every", given.queue.files.checkpoint_every, 1, "Updates between checkpoints");
  command
      .add_option("--held-out", given.queue.data.held_out,
                  "The last part of the jobs, for validation alone (0.2)")
      ->check(CLI::Range(0.01, 0.99));
  command
      .add_option("--gpu-hour-rate", given.queue.data.per_gpu_hour,
                  "What holding a GPU for an hour costs beside its energy (0)")
      ->check(CLI::Range(0.0, 1e9));
  command
      .add_option("--policy-rate", given.policy_rate, "Step of the actor (0.001; routers 0.0005)")
      ->check(CLI::Range(0.0, 1.0));
  command
      .add_option("--softness", given.softness,
                  "Nats of entropy that a taught network begins with (1; routers 0.3)")
      ->check(CLI::Range(0.0, 10.0));
  command.add_option("--entropy", given.entropy, "What a nat is worth (0.001; routers 0.01)")
      ->check(CLI::Range(0.0, 100.0));
}

void add_router(CLI::App& command, Given& given) {
  command.add_option("--site", given.geo.data.site,
                     "Routers: the policy of each site (fifo:backfill=easy)");
  command
      .add_option("--slack", given.geo.data.slack,
                  "Routers: jobs without a deadline may wait for this part of the time they ask")
      ->check(CLI::Range(0.0, 1e3));
  command
      .add_option("--teacher", given.geo.teacher,
                  "Routers: whom they copy first: thrifty, thrifty-wait or none (thrifty)")
      ->check(CLI::IsMember({"thrifty", "thrifty-wait", "none"}));
  command
      .add_option("--weeks", given.geo.data.weeks,
                  "Routers: episodes begin up to so many weeks later than in the trace, by chance")
      ->check(CLI::Range(0u, 520u));
  command
      .add_option("--validation-set", given.geo.data.validation_overrides,
                  "Routers: judge by this scenario with a key changed, not by jobs held out")
      ->allow_extra_args(false);
}

/// What a training can do without, to learn what it is worth.
void add_ablations(CLI::App& command, Given& given) {
  command
      .add_option("--critic", given.critic,
                  "Routers: joint (sees what sites keep to themselves, in training) or local "
                  "(joint; independent-rl: local)")
      ->check(CLI::IsMember({"joint", "local"}));
  command.add_flag("--no-waiting", given.no_waiting, "Routers: no job is ever told to wait");
  command.add_flag("--no-transfer-cost", given.no_transfer_cost,
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
      return Error{fmt::format("{}: {} has no such option; it is for {}", option, policy,
                               routes ? "rl and mars" : "marl, independent-rl and single-rl")};
  return Done{};
}

void add_run(CLI::App& command, Given& given) {
  given.queue.data.threads = std::max(1u, std::thread::hardware_concurrency());
  command.add_option("--seed", given.queue.data.seed, "Of episodes, networks and choices (1)");
  command.add_option("--jobs", given.queue.data.threads, "Threads (default: all cores)")
      ->check(CLI::Range(1u, 1024u));
  command.add_flag("--resume", given.queue.files.resume, "Go on from WEIGHTS.checkpoint");
  command.add_option("--csv", given.queue.files.csv, "Where the curve goes (WEIGHTS.csv)");
  command.add_option("--plot", given.queue.files.plot, "Where its picture goes (WEIGHTS.svg)");
  command.add_flag("--no-progress", given.no_progress, "Do not show progress");
}

}  // namespace

void add_train(CLI::App& app, int& exit_code) {
  auto given = std::make_shared<Given>();
  CLI::App* command =
      app.add_subcommand("train", "Train the networks of the policies rl and mars, and of routers");
  add_what(*command, *given);
  add_how(*command, *given);
  add_router(*command, *given);
  add_ablations(*command, *given);
  add_run(*command, *given);
  command->footer(
      "Example: penstock train data/studies/mars/lublin.toml --policy rl --updates 3 --episode 64 "
      "--worlds 8 --out rl.safetensors");
  command->callback([given, command, &exit_code] {
    auto done = refuse_options(*command, given->queue.policy);
    if (done) done = train(*given);
    if (!done) exit_code = refuse(done.error().message);
  });
}

}  // namespace penstock
