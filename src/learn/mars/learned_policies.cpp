#include "learn/mars/learned_policies.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

#include "io/text/file.h"
#include "learn/mars/ensemble.h"
#include "learn/mars/queue_player.h"
#include "learn/mars/queue_policy.h"
#include "learn/mars/selector.h"
#include "policy/policy_table.h"

namespace penstock {
namespace {

constexpr OptionSpec kWeights{"weights", "none",
                              "file of trained networks, as penstock train writes it, or none"};
constexpr OptionSpec kBackfill{
    "backfill", "easy",
    "easy (jobs may pass the first blocked job if they do not delay it), or none"};
constexpr OptionSpec kPlace{"place", "first-fit", "first-fit, best-fit, consolidate or buddy"};
constexpr OptionSpec kReward{"reward", "cost",
                             "cost (bounded slowdown x what the job costs), slowdown or wait"};
constexpr OptionSpec kGpuHour{"gpu_hour", "0",
                              "money for holding a GPU for an hour, beside its energy"};
constexpr OptionSpec kSizing{
    "sizing", "asked",
    "of jobs that scale: asked, shrink (to what is free) or fill (all that is free)"};
constexpr OptionSpec kLearn{"learn", "true",
                            "true: networks learn on from what their choices bring; or false"};
constexpr OptionSpec kSeed{"seed", "1", "random seed"};
constexpr OptionSpec kEpoch{"epoch", "1 min",
                            "strategies are compared anew no sooner than after this"};
constexpr OptionSpec kHysteresis{"hysteresis", "0.02",
                                 "another strategy must be better by this part to take over"};
constexpr OptionSpec kGuard{"guard", "0.02",
                            "a heuristic takes over if it would have been better by this fraction"};
constexpr OptionSpec kConfidence{"confidence", "0.2",
                                 "a network less sure of its choices than this is not taken"};
constexpr OptionSpec kStrategies{"strategies", "all",
                                 "those to choose from, such as 'fifo sjf f1', or all"};
constexpr OptionSpec kAhead{"ahead", "128", "number of future arrivals sampled from past ones"};
constexpr OptionSpec kFutures{"futures", "4", "number of sampled futures that are averaged"};
constexpr OptionSpec kWindow{"window", "512",
                             "number of waiting jobs in a sampled future, shortest first"};

/// What a name stands for; an error names the option.
template <class T, std::size_t n>
Result<T> one_of(const Options& options, const OptionSpec& spec,
                 const std::array<std::pair<std::string_view, T>, n>& values) {
  const std::string& text = options.find(spec.name)->second;
  for (const auto& [name, value] : values)
    if (name == text) return value;
  return Error{fmt::format("{}: '{}' is not possible; {}", spec.name, text, spec.meaning)};
}

constexpr std::array<std::pair<std::string_view, Backfill>, 2> kBackfills{
    {{"none", Backfill::none}, {"easy", Backfill::easy}}};
constexpr std::array<std::pair<std::string_view, Reward>, 3> kRewards{
    {{"cost", Reward::cost}, {"slowdown", Reward::slowdown}, {"wait", Reward::wait}}};
constexpr std::array<std::pair<std::string_view, Sizing>, 3> kSizings{
    {{"asked", Sizing::asked}, {"shrink", Sizing::shrink}, {"fill", Sizing::fill}}};
constexpr std::array<std::pair<std::string_view, bool>, 2> kBooleans{
    {{"true", true}, {"false", false}}};

/// All options of both policies, as values.
struct Chosen {
  PlaceRule place = PlaceRule::first_fit;
  SnapshotRules snapshot{};
  QueueOptions queue{};
  SelectorRules selector{};
  std::vector<const Strategy*> strategies{};
  std::vector<OnlineLearner> learners{};
  PastJobs past{};
};

Result<Done> read_place(const Options& options, Chosen& chosen) {
  const std::string& text = options.at("place");
  const auto rule = place_rule_named(text);
  if (!rule) return Error{fmt::format("place: '{}' is not possible; {}", text, kPlace.meaning)};
  chosen.place = *rule;
  return Done{};
}

Result<Done> read_worlds(const Options& options, Chosen& chosen) {
  const auto backfill = one_of(options, kBackfill, kBackfills);
  if (!backfill) return backfill.error();
  chosen.queue.backfill = *backfill;
  const auto sizing = one_of(options, kSizing, kSizings);
  if (!sizing) return sizing.error();
  chosen.queue.sizing = chosen.snapshot.sizing = *sizing;
  const auto reward = one_of(options, kReward, kRewards);
  if (!reward) return reward.error();
  chosen.selector.reward = *reward;
  chosen.snapshot.weighs_cost = *reward == Reward::cost;
  const auto gpu_hour = number_of(options, "gpu_hour");
  if (!gpu_hour) return gpu_hour.error();
  chosen.snapshot.per_gpu_hour = *gpu_hour;
  return Done{};
}

Result<Done> read_networks(const Options& options, Chosen& chosen) {
  const auto learns = one_of(options, kLearn, kBooleans);
  if (!learns) return learns.error();
  const auto seed = whole_of(options, "seed", 0);
  if (!seed) return seed.error();
  chosen.snapshot.seed = *seed;
  const std::string& path = options.at("weights");
  if (path == "none") return Done{};
  const auto bytes = read_file(path);
  if (!bytes) return Error(bytes.error()).in("weights");
  auto ensemble = decode_ensemble(*bytes);
  if (!ensemble) return std::move(ensemble).error().in(fmt::format("weights: {}", path));
  chosen.past = std::move(ensemble->past);
  OnlineLearnerRules rules{.learns = *learns};
  const std::string& seen = ensemble->about["window"];
  std::from_chars(seen.data(), seen.data() + seen.size(), rules.window);
  if (rules.window == 0) return Error{fmt::format("weights: {}: its window is 0", path)};
  const Rng rng = Rng(*seed).stream("apprentice");
  for (std::size_t i = 0; i < ensemble->members.size(); ++i)
    chosen.learners.emplace_back(std::move(ensemble->members[i]), rules, rng.stream(i));
  return Done{};
}

Result<Chosen> read_common(const Options& options) {
  Chosen chosen;
  for (const auto read : {read_place, read_worlds, read_networks})
    if (auto fine = read(options, chosen); !fine) return std::move(fine).error();
  return chosen;
}

std::string with_backfill(std::string_view order, Backfill backfill) {
  return std::string(order) + (backfill == Backfill::easy ? "+easy" : "");
}

Result<Done> read_strategies(const Options& options, Chosen& chosen) {
  const std::string& text = options.at("strategies");
  std::vector<std::string> names = names_in(text);
  if (text == "all") {
    names.clear();
    for (const Strategy& each : all_strategies())
      if (each.backfill == chosen.queue.backfill) names.emplace_back(each.name);
  }
  for (const std::string& name : names) {
    const Strategy* found = find_strategy(with_backfill(name, chosen.queue.backfill));
    if (found == nullptr) found = find_strategy(name);
    if (found != nullptr) {
      chosen.strategies.push_back(found);
      continue;
    }
    std::string known;
    for (const TaskOrder& order : all_task_orders()) known += " " + std::string(order.name);
    return Error{fmt::format("strategies: no '{}'; there are:{}", name, known)};
  }
  if (chosen.strategies.empty()) return Error{"strategies: name at least one, or all"};
  return Done{};
}

Result<Done> read_futures(const Options& options, Chosen& chosen) {
  const auto futures = whole_of(options, "futures", 1);
  if (!futures) return futures.error();
  chosen.snapshot.futures = *futures;
  const auto ahead = whole_of(options, "ahead", 0);
  if (!ahead) return ahead.error();
  chosen.snapshot.ahead = *ahead;
  const auto window = whole_of(options, "window", 1);
  if (!window) return window.error();
  chosen.snapshot.window = *window;
  return Done{};
}

Result<Done> read_selector(const Options& options, Chosen& chosen) {
  const auto epoch = duration_of(options, "epoch");
  if (!epoch) return epoch.error();
  chosen.selector.epoch = *epoch;
  const auto hysteresis = number_of(options, "hysteresis");
  if (!hysteresis) return hysteresis.error();
  chosen.selector.hysteresis = *hysteresis;
  const auto confidence = number_of(options, "confidence");
  if (!confidence) return confidence.error();
  chosen.selector.confidence = *confidence;
  const auto guard = number_of(options, "guard");
  if (!guard) return guard.error();
  chosen.selector.guard.margin = *guard;
  return Done{};
}

std::unique_ptr<Policy> policy_of(const PolicySetting& setting, const Chosen& chosen,
                                  std::unique_ptr<QueuePlayer> player) {
  const QueuePolicyRules rules{
      .place = chosen.place, .snapshot = chosen.snapshot, .queue = chosen.queue};
  return std::make_unique<QueuePolicy>(setting, rules, chosen.past, std::move(player));
}

Result<std::unique_ptr<Policy>> make_rl(const PolicySetting& setting, std::string_view /*name*/,
                                        const Options& options) {
  auto chosen = read_common(options);
  if (!chosen) return std::move(chosen).error();
  if (chosen->learners.empty() && options.at("weights") != "none")
    return Error{"weights: there is no network in it; possible: the policy mars, or train one"};
  if (chosen->learners.empty())
    chosen->learners.emplace_back(
        NamedNetwork{"untrained", ActorCritic(observer_shape(ActorKind::kernel), Rng(1))},
        OnlineLearnerRules{}, Rng(1));
  return policy_of(setting, *chosen, make_network_player(std::move(chosen->learners.front())));
}

Result<std::unique_ptr<Policy>> make_mars(const PolicySetting& setting, std::string_view /*name*/,
                                          const Options& options) {
  auto chosen = read_common(options);
  if (!chosen) return std::move(chosen).error();
  for (const auto read : {read_futures, read_selector, read_strategies})
    if (auto fine = read(options, *chosen); !fine) return std::move(fine).error();
  return policy_of(setting, *chosen,
                   make_selecting_player(std::move(chosen->strategies), std::move(chosen->learners),
                                         chosen->selector));
}

constexpr std::array kRlOptions{kWeights, kBackfill, kPlace, kReward,
                                kGpuHour, kSizing,   kLearn, kSeed};
constexpr std::array kMarsOptions{
    kWeights, kBackfill, kPlace,   kReward,     kGpuHour, kSizing,     kLearn,      kSeed,
    kWindow,  kAhead,    kFutures, kStrategies, kEpoch,   kHysteresis, kConfidence, kGuard};

}  // namespace

std::vector<PolicyEntry> learned_policy_entries() {
  return {
      {"rl",
       "a trained network chooses who goes next; untrained without weights",
       kRlOptions,
       make_rl,
       {.reacts_to_price = true, .uses_models = true}},
      {"mars",
       "at every epoch the cheapest of many strategies and networks, by playing the queue to its "
       "end",
       kMarsOptions,
       make_mars,
       {.reacts_to_price = true, .uses_models = true}},
  };
}

}  // namespace penstock
