// How wrong beliefs are after so many observations of a kind of training, from the catalogue
// and from a guess: the tables of docs/models.md, "Beliefs and truth". First of runs as spread
// out as can be, then of those that policies really make of the ElasticFlow trace.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/engine.h"
#include "fit/refitting_learner.h"
#include "io/profiles/catalogue.h"
#include "io/traces/trace.h"
#include "model/models.h"
#include "policies/core_policies.h"
#include "sim/kinds.h"
#include "sim/sim_backend.h"

namespace {

using namespace penstock;

constexpr std::array kAfter{0, 3, 10, 30, 100};
constexpr std::uint64_t kSeeds = 20;
constexpr double kSpread = 0.3;
constexpr double kInstrument = 0.03;

Cluster three_nodes() {
  Cluster cluster;
  cluster.types = {*std::ranges::find(gpu_catalogue(), "a100", &GpuType::name)};
  add_site(cluster, "here", {{.count = 3, .gpus = 8, .type = {}, .rack = 3}});
  return cluster;
}

/// The runs of a kind: first the three short ones, then whatever a scheduler might choose.
Config config_of_run(int i, const Profile& truth, Rng& chance) {
  if (i == 0) return {.gpus = 1, .batch = truth.batch.least, .clock = 1};
  if (i == 1) return {.gpus = 1, .batch = truth.batch.least, .clock = 0.6};
  const std::uint32_t gpus = i == 2 ? 2 : 1u << chance.below(5);
  const double most = std::min(truth.batch.most, truth.batch.local_most * gpus);
  const double least = std::max(truth.batch.least, 1.0 * gpus);
  const double batch = i == 2 ? least : least * std::pow(most / least, chance.uniform());
  const double clock = i == 2 ? 1 : 0.5 + 0.05 * static_cast<double>(chance.below(11));
  return {.gpus = gpus, .nodes = gpus > 8 ? 2u : 1u, .batch = batch, .clock = clock};
}

Models start_of(const Kinds& kinds, bool catalogue) {
  return catalogue ? kinds.believed() : guess_from_other_kinds(kinds.believed());
}

struct Errors {
  std::array<BeliefError, kAfter.size()> after{};
  std::uint64_t fits = 0;
};

void add(BeliefError& sum, const BeliefError& more) {
  sum.throughput += more.throughput;
  sum.draw += more.draw;
}

void watch_kind(KindId kind, const Kinds& kinds, RefittingLearner& learner, Errors& errors,
                Rng chance) {
  const Profile& truth = *kinds.truth().find(kind, {});
  int seen = 0;
  for (std::size_t i = 0; i < kAfter.size(); ++i) {
    for (; seen < kAfter[i]; ++seen) {
      const Config config = config_of_run(seen, truth, chance);
      learner.observe({.kind = kind,
                       .config = config,
                       .speed = Speed(throughput(truth, config) / 1e3),
                       .draw = draw(truth, config)});
    }
    add(errors.after[i], belief_error(*learner.models().find(kind, {}), truth));
  }
}

Errors errors_from(bool catalogue, const std::vector<Profile>& profiles) {
  Errors errors;
  const Cluster cluster = three_nodes();
  double count = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Kinds kinds(profiles, cluster, {.spread = kSpread, .instrument = kInstrument}, seed);
    RefittingLearner learner(start_of(kinds, catalogue), {.instrument = kInstrument},
                             Rng(seed).stream("instrument"));
    for (const KindId kind : kinds.known_on({})) {
      watch_kind(kind, kinds, learner, errors, Rng(seed).stream("runs").stream(kind.index));
      ++count;
    }
    errors.fits += learner.fits();
  }
  for (BeliefError& error : errors.after) error = {error.throughput / count, error.draw / count};
  return errors;
}

void print(const char* name, double (*part)(const BeliefError&), const Errors& errors) {
  fmt::print("| {} |", name);
  for (const BeliefError& error : errors.after) fmt::print(" {:.1f} % |", 100 * part(error));
  fmt::print("\n");
}

struct RunErrors {
  BeliefError before{};
  BeliefError after{};
};

void add_kinds(BeliefError& sum, const Models& believed, const Kinds& kinds) {
  const auto& all = kinds.known_on({});
  for (const KindId kind : all) {
    const auto error = belief_error(*believed.find(kind, {}), *kinds.truth().find(kind, {}));
    const auto parts = static_cast<double>(all.size() * kSeeds);
    add(sum, {error.throughput / parts, error.draw / parts});
  }
}

/// Looks away.
class Nobody final : public Observer {
 public:
  void before(const Batch& /*batch*/, const State& /*state*/, const Ledger& /*ledger*/) override {}
  void decided(Time /*now*/, const Decision& /*decision*/, const State& /*state*/) override {}
  void ended(const JobRecord& /*record*/) override {}
};

/// The errors before and after whole runs of a policy.
RunErrors errors_of_runs(const char* policy, bool catalogue, const std::vector<Profile>& profiles,
                         const std::vector<TracedJob>& jobs) {
  RunErrors errors;
  const Cluster cluster = three_nodes();
  const std::vector<SiteSignals> signals(1);
  const std::vector<SiteForecasts> forecasts(1);
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Kinds kinds(profiles, cluster, {.spread = kSpread, .instrument = kInstrument}, seed);
    RefittingLearner learner(start_of(kinds, catalogue), {.instrument = kInstrument},
                             Rng(seed).stream("instrument"));
    add_kinds(errors.before, learner.models(), kinds);
    KindSource source(std::make_unique<VectorSource>(jobs), kinds);
    const Time start = jobs.front().job.submitted;
    SimBackend world(source, cluster, {.seed = seed, .start = start, .models = &kinds.truth()});
    const Setting setting{.cluster = cluster,
                          .signals = signals,
                          .forecasts = forecasts,
                          .start = start,
                          .learner = &learner};
    const auto made = core_policies().make({.cluster = cluster, .start = start}, policy, {});
    Nobody nobody;
    run(world, **made, setting, nobody);
    add_kinds(errors.after, learner.models(), kinds);
  }
  return errors;
}

void print_runs(const std::vector<Profile>& profiles, const std::vector<TracedJob>& jobs) {
  fmt::print(
      "\n| policy | start | throughput before | after | draw before | after |\n"
      "|---|---|---|---|---|---|\n");
  for (const char* policy : {"powerflow", "afs"})
    for (const bool catalogue : {true, false}) {
      const RunErrors e = errors_of_runs(policy, catalogue, profiles, jobs);
      fmt::print("| `{}` | {} | {:.1f} % | {:.1f} % | {:.1f} % | {:.1f} % |\n", policy,
                 catalogue ? "catalogue" : "guess", 100 * e.before.throughput,
                 100 * e.after.throughput, 100 * e.before.draw, 100 * e.after.draw);
    }
}

}  // namespace

int main() {
  const auto profiles = read_profiles(PENSTOCK_ROOT "/data/models/a100.toml");
  if (!profiles) {
    fmt::print(stderr, "{}\n", profiles.error().message);
    return 1;
  }
  fmt::print("| observations |");
  for (const int after : kAfter) fmt::print(" {} |", after);
  fmt::print("\n|---|---|---|---|---|---|\n");
  const auto of_speed = [](const BeliefError& e) { return e.throughput; };
  const auto of_draw = [](const BeliefError& e) { return e.draw; };
  const Errors known = errors_from(true, *profiles);
  print("throughput, from the catalogue", of_speed, known);
  print("draw, from the catalogue", of_draw, known);
  const Errors guessed = errors_from(false, *profiles);
  print("throughput, from a guess", of_speed, guessed);
  print("draw, from a guess", of_draw, guessed);
  const std::uint64_t seen = kAfter.back() * kSeeds * profiles->size();
  fmt::print("fits: {} and {} for {} observations\n", known.fits, guessed.fits, seen);
  const auto trace =
      read_trace(PENSTOCK_ROOT "/data/elasticflow.csv.gz", "elasticflow", {.limit = 200});
  if (!trace) {
    fmt::print(stderr, "{}\n", trace.error().message);
    return 1;
  }
  print_runs(*profiles, trace->jobs);
}
