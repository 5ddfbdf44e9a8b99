#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <thread>

#include "app/commands.h"
#include "app/train_geo.h"
#include "app/train_grounds.h"
#include "app/train_text.h"
#include "app/version.h"
#include "io/text/file.h"

namespace penstock {
namespace {

using Clock = std::chrono::steady_clock;

struct Given {
  GroundsRequest grounds{.rules = {.queue = {.backfill = Backfill::easy}}};
  TrainingSettings settings{};
  std::string scenario;
  std::string policy = "mars";
  std::string out;
  std::string csv;
  std::string plot;
  std::vector<std::string> teachers;
  std::string net = "kernel";
  std::string backfill = "easy";
  std::string reward = "cost";
  std::uint32_t checkpoint_every = 10;
  bool resume = false;
  bool no_progress = false;
  GeoTrainRequest geo{};  ///< what only routers have

  std::filesystem::path checkpoint() const { return out + ".checkpoint"; }
};

/// Says how it goes on stderr: one line rewritten on a terminal, one every few seconds elsewhere.
class Commentary {
 public:
  explicit Commentary(bool shown) : shown_(shown), terminal_(isatty(STDERR_FILENO) != 0) {}

  void note(const Trainer& trainer) {
    const CurvePoint& at = trainer.curve().back();
    decisions_ += at.decisions;
    updates_ += at.update > 0 ? 1 : 0;
    const double elapsed = since(begun_);
    const bool due = at.update == 0 || since(said_) > (terminal_ ? 0.1 : 5.0);
    if (!shown_ || !due) return;
    said_ = Clock::now();
    const std::string text = progress_text(trainer, {elapsed, decisions_, updates_});
    const bool keep = !terminal_ || at.update == 0;
    fmt::print(stderr, "{}{}{}", terminal_ ? "\r\x1b[K" : "", text, keep ? "\n" : "");
  }
  void finish() const {
    if (shown_ && terminal_) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  static double since(Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
  }
  bool shown_;
  bool terminal_;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point said_ = begun_;
  std::uint64_t decisions_ = 0;
  std::size_t updates_ = 0;
};

/// What training a router has in common with training for a queue.
GeoTrainRequest router_request(const Given& given) {
  GeoTrainRequest request = given.geo;
  request.scenario = given.scenario;
  request.overrides = given.grounds.overrides;
  request.out = given.out;
  request.csv = given.csv.empty() ? given.out + ".csv" : given.csv;
  request.episode = given.grounds.episodes.tasks;
  request.episodes = given.grounds.episodes.count;
  request.validation = given.grounds.validation;
  request.held_out = given.grounds.held_out;
  request.shown = !given.no_progress;
  GeoTrainingSettings& settings = request.settings;
  settings.kind = given.net == "kernel" ? ActorKind::kernel : ActorKind::attention;
  settings.updates = given.settings.updates;
  settings.worlds = given.settings.worlds;
  settings.validate_every = given.settings.validate_every;
  settings.patience = given.settings.patience;
  settings.seed = given.grounds.seed;
  settings.threads = given.grounds.threads;
  return request;
}

Result<Done> complete(Given& given) {
  if (given.teachers.empty() && given.policy == "rl") given.teachers = {std::string(kNoTeacher)};
  if (given.teachers.empty()) given.teachers = {"sjf", "f1", "wfp3"};
  if (auto fine = check_teachers(given.teachers); !fine)
    return std::move(fine).error().in("--teachers");
  if (given.policy == "rl" && given.teachers.size() > 1)
    return Error{"--teachers: the policy rl has one network; name one teacher, or --policy mars"};
  given.settings.teachers = given.teachers;
  given.settings.kind = given.net == "kernel" ? ActorKind::kernel : ActorKind::attention;
  given.settings.seed = given.grounds.seed;
  given.settings.threads = given.grounds.threads;
  given.grounds.scenario = given.scenario;
  given.grounds.rules.queue.backfill = given.backfill == "easy" ? Backfill::easy : Backfill::none;
  given.grounds.weighing = given.reward == "cost" ? Weighing::by_cost : Weighing::alike;
  if (given.csv.empty()) given.csv = given.out + ".csv";
  if (given.plot.empty()) given.plot = given.out + ".svg";
  return Done{};
}

/// The options that matter, so that whoever finds the weights can make them again.
std::string command_of(const Given& given) {
  const GroundsRequest& grounds = given.grounds;
  const TrainingSettings& settings = given.settings;
  std::string text = fmt::format("penstock train {} --policy {}", given.scenario, given.policy);
  for (const std::string& change : grounds.overrides) text += " --set " + change;
  text += fmt::format(" --teachers {} --net {} --backfill {} --reward {} --gpu-hour-rate {}",
                      fmt::join(given.teachers, ","), given.net, given.backfill, given.reward,
                      grounds.per_gpu_hour);
  text += fmt::format(" --episode {} --episodes {} --validation {} --held-out {} --window {}",
                      grounds.episodes.tasks, grounds.episodes.count, grounds.validation,
                      grounds.held_out, grounds.rules.window);
  text +=
      fmt::format(" --updates {} --worlds {} --validate-every {} --patience {}", settings.updates,
                  settings.worlds, settings.validate_every, settings.patience);
  return text + fmt::format(" --policy-rate {} --softness {} --entropy {} --seed {} --out WEIGHTS",
                            settings.ppo.policy_rate, settings.softness, settings.ppo.entropy,
                            grounds.seed);
}

Result<Done> write_results(const Given& given, const PreparedGrounds& prepared,
                           const Trainer& trainer) {
  Ensemble ensemble{.members = trainer.members(), .past = prepared.past};
  ensemble.about = {{"scenario", prepared.scenario},
                    {"scenario_hash", prepared.hash},
                    {"command", command_of(given)},
                    {"curve", curve_summary(trainer)},
                    {"curve_csv", training_csv(trainer)},
                    {"seed", std::to_string(given.grounds.seed)},
                    {"window", std::to_string(given.grounds.rules.window)},
                    {"version", kVersion}};
  if (auto done = replace_file(given.out, encode_ensemble(ensemble)); !done) return done;
  if (auto done = replace_file(given.csv, training_csv(trainer)); !done) return done;
  const std::string title = fmt::format("penstock train {}", prepared.scenario);
  return replace_file(given.plot, training_svg(trainer, title));
}

/// Goes on to the end; a step that fails leaves the state before it as the checkpoint.
Result<Done> run(const Given& given, Trainer& trainer) {
  Commentary commentary(!given.no_progress);
  for (std::uint32_t steps = 1; !trainer.finished(); ++steps) {
    if (auto done = trainer.step(); !done) {
      commentary.finish();
      if (auto kept = replace_file(given.checkpoint(), trainer.checkpoint()); !kept) return kept;
      return Error{fmt::format("training stopped: {}; the last good state is in {}",
                               done.error().message, given.checkpoint().string())};
    }
    commentary.note(trainer);
    if (steps % given.checkpoint_every != 0 && !trainer.finished()) continue;
    if (auto kept = replace_file(given.checkpoint(), trainer.checkpoint()); !kept) return kept;
  }
  commentary.finish();
  return Done{};
}

Result<Done> train(Given given) {
  if (const GeoVariant* variant = find_geo_variant(given.policy)) {
    given.geo.settings.variant = *variant;
    return train_geo(router_request(given));
  }
  if (auto fine = complete(given); !fine) return fine;
  auto prepared = prepare_grounds(given.grounds);
  if (!prepared) return std::move(prepared).error();
  for (const std::string& line : prepared->remarks) remark("note: " + line);
  Trainer trainer(given.settings, std::move(prepared->grounds));
  if (given.resume) {
    const auto bytes = read_file(given.checkpoint());
    if (!bytes) return bytes.error();
    if (auto fine = trainer.resume(*bytes); !fine)
      return std::move(fine).error().in(given.checkpoint().string());
  }
  if (!given.no_progress)
    remark(fmt::format("training on {}: {} tasks, {} x {}, {} episodes of {}", prepared->scenario,
                       prepared->tasks, prepared->machine.gpus, prepared->machine.type.name,
                       trainer.grounds().training.size(), given.grounds.episodes.tasks));
  if (auto done = run(given, trainer); !done) return done;
  if (auto done = write_results(given, *prepared, trainer); !done) return done;
  fmt::print("{}", training_text(trainer));
  remark(fmt::format("wrote {}, {} and {}", given.out, given.csv, given.plot));
  return Done{};
}

void add_what(CLI::App& command, Given& given) {
  command.add_option("SCENARIO", given.scenario, "Scenario file (TOML)")->required();
  command
      .add_option("--policy", given.policy,
                  "rl: one network; mars: one for each teacher; routers between sites: marl, "
                  "independent-rl, single-rl (mars)")
      ->check(CLI::IsMember({"rl", "mars", "marl", "independent-rl", "single-rl"}));
  command.add_option("--out", given.out, "Weights to write; the curve goes beside it")->required();
  command
      .add_option("--teachers", given.teachers,
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
      .add_option("--set", given.grounds.overrides,
                  "Change a key of the scenario: workload.until=2022-10-15")
      ->allow_extra_args(false);
}

void add_how(CLI::App& command, Given& given) {
  const auto count = [&](const char* name, std::uint32_t& value, std::uint32_t least,
                         const std::string& meaning) {
    command.add_option(name, value, fmt::format("{} ({})", meaning, value))
        ->check(CLI::Range(least, 1'000'000u));
  };
  count("--updates", given.settings.updates, 1, "Updates of each network");
  count("--episode", given.grounds.episodes.tasks, 2, "Consecutive jobs in an episode");
  count("--episodes", given.grounds.episodes.count, 1, "Different episodes to train on");
  count("--worlds", given.settings.worlds, 1, "Episodes played side by side for an update");
  count("--window", given.grounds.rules.window, 2, "Ready jobs that a network sees");
  count("--validation", given.grounds.validation, 1, "Episodes to judge by");
  count("--validate-every", given.settings.validate_every, 1, "Updates between validations");
  count("--patience", given.settings.patience, 1, "Validations without a better one, then stop");
  count("--checkpoint-every", given.checkpoint_every, 1, "Updates between checkpoints");
  command
      .add_option("--held-out", given.grounds.held_out,
                  "The last part of the jobs, for validation alone (0.2)")
      ->check(CLI::Range(0.01, 0.99));
  command
      .add_option("--gpu-hour-rate", given.grounds.per_gpu_hour,
                  "What holding a GPU for an hour costs beside its energy (0)")
      ->check(CLI::Range(0.0, 1e9));
  command.add_option("--policy-rate", given.settings.ppo.policy_rate, "Step of the actor (0.001)")
      ->check(CLI::Range(0.0, 1.0));
  command
      .add_option("--softness", given.settings.softness,
                  "Nats of entropy that a taught network begins with (1)")
      ->check(CLI::Range(0.0, 10.0));
  command.add_option("--entropy", given.settings.ppo.entropy, "What a nat is worth (0.001)")
      ->check(CLI::Range(0.0, 100.0));
}

void add_router(CLI::App& command, Given& given) {
  command.add_option("--site", given.geo.site,
                     "Routers: the policy of each site (fifo:backfill=easy)");
  command
      .add_option("--slack", given.geo.slack,
                  "Routers: jobs without a deadline may wait for this part of the time they ask")
      ->check(CLI::Range(0.0, 1e3));
  command
      .add_option("--teacher", given.geo.teacher,
                  "Routers: whom they copy first: thrifty, thrifty-wait or none (thrifty)")
      ->check(CLI::IsMember({"thrifty", "thrifty-wait", "none"}));
  command
      .add_option("--weeks", given.geo.weeks,
                  "Routers: episodes begin up to so many weeks later than in the trace, by chance")
      ->check(CLI::Range(0u, 520u));
  command
      .add_option("--validation-set", given.geo.validation_overrides,
                  "Routers: judge by this scenario with a key changed, not by jobs held out")
      ->allow_extra_args(false);
}

void add_run(CLI::App& command, Given& given) {
  given.grounds.threads = std::max(1u, std::thread::hardware_concurrency());
  command.add_option("--seed", given.grounds.seed, "Of episodes, networks and choices (1)");
  command.add_option("--jobs", given.grounds.threads, "Threads (default: all cores)")
      ->check(CLI::Range(1u, 1024u));
  command.add_flag("--resume", given.resume, "Go on from WEIGHTS.checkpoint");
  command.add_option("--csv", given.csv, "Where the curve goes (WEIGHTS.csv)");
  command.add_option("--plot", given.plot, "Where its picture goes (WEIGHTS.svg)");
  command.add_flag("--no-progress", given.no_progress, "Do not show progress");
}

/// What routers know nothing of is refused, not ignored.
Result<Done> check_for_routers(const CLI::App& command, const std::string& policy) {
  if (find_geo_variant(policy) == nullptr) return Done{};
  for (const char* option :
       {"--teachers", "--net", "--backfill", "--reward", "--gpu-hour-rate", "--policy-rate",
        "--softness", "--entropy", "--resume", "--plot", "--window", "--checkpoint-every"})
    if (command.count(option) > 0)
      return Error{fmt::format("{}: {} has no such option; it is for rl and mars", option, policy)};
  return Done{};
}

}  // namespace

void add_train(CLI::App& app, int& exit_code) {
  auto given = std::make_shared<Given>();
  CLI::App* command =
      app.add_subcommand("train", "Train the networks of the policies rl and mars, and of routers");
  add_what(*command, *given);
  add_how(*command, *given);
  add_router(*command, *given);
  add_run(*command, *given);
  command->footer(
      "Example: penstock train data/studies/mars/lublin.toml --policy rl --updates 3 --episode 64 "
      "--worlds 8 --out rl.safetensors");
  command->callback([given, command, &exit_code] {
    auto done = check_for_routers(*command, given->policy);
    if (done) done = train(*given);
    if (!done) exit_code = refuse(done.error().message);
  });
}

}  // namespace penstock
