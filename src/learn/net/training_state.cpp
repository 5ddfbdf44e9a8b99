#include "learn/net/training_state.h"

#include <fmt/format.h>

#include <array>

#include "learn/net/weights.h"

namespace penstock {
namespace {

constexpr const char* kCurve = "curve";
constexpr std::uint64_t kCurveColumns = 10;

std::array<double, kCurveColumns> row_of(const CurvePoint& p) {
  return {static_cast<double>(p.member),
          static_cast<double>(p.update),
          static_cast<double>(p.decisions),
          p.mean_return,
          p.validation,
          p.best,
          p.entropy,
          p.divergence,
          p.explained,
          p.agreement};
}

/// No training has so many of anything.
bool is_count(double v) {
  constexpr double kLargestCount = 9e15;
  return v >= 0 && v <= kLargestCount;
}

CurvePoint point_of(std::span<const double> row) {
  return {.member = static_cast<std::uint64_t>(row[0]),
          .update = static_cast<std::uint64_t>(row[1]),
          .decisions = static_cast<std::uint64_t>(row[2]),
          .mean_return = row[3],
          .validation = row[4],
          .best = row[5],
          .entropy = row[6],
          .divergence = row[7],
          .explained = row[8],
          .agreement = row[9]};
}

constexpr const char* kSettings = "settings.";

constexpr const char* kNow = "now/";
constexpr const char* kBest = "best/";
constexpr const char* kReached = "best_return";
/// Of the trainer, whether a network is being trained, its updates and stale validations.
constexpr const char* kProgress = "progress";

/// All but its counters.
void put_net(const NetInTraining& net, Weights& weights) {
  Weights now;
  net.ppo.store(now);
  put_part(weights, kNow, now);
  Weights best;
  net.best.store(best);
  put_part(weights, kBest, best);
  weights.tensors[kReached] = {{1}, std::vector<double>{net.best_return}};
}

Result<NetInTraining> load_net(const Weights& weights, const PpoSettings& settings,
                               const NetShape& shape) {
  auto ppo = Ppo::load(part_of(weights, kNow), settings);
  if (!ppo) return std::move(ppo).error();
  auto best = stored_net(weights, kBest, shape);
  if (!best) return std::move(best).error();
  if (ppo->net().shape() != best->shape())
    return Error{"holds a network that is not of the shape that its features need"};
  const auto reached = stored_values<double>(weights, kReached, {1});
  if (!reached) return reached.error();
  return NetInTraining{
      .ppo = *std::move(ppo), .best = *std::move(best), .best_return = reached->front()};
}

}  // namespace

void put_curve(Weights& weights, std::span<const CurvePoint> curve) {
  std::vector<double> rows;
  for (const CurvePoint& point : curve)
    for (const double v : row_of(point)) rows.push_back(v);
  weights.tensors[kCurve] = {{curve.size(), kCurveColumns}, std::move(rows)};
}

Result<std::vector<CurvePoint>> stored_curve(const Weights& weights) {
  const auto found = weights.tensors.find(kCurve);
  const bool there = found != weights.tensors.end() && !found->second.shape.empty();
  const auto rows =
      stored_values<double>(weights, kCurve, {there ? found->second.shape[0] : 0, kCurveColumns});
  if (!rows) return rows.error();
  std::vector<CurvePoint> curve;
  for (std::size_t at = 0; at < rows->size(); at += kCurveColumns) {
    const auto row = std::span(*rows).subspan(at, kCurveColumns);
    if (!is_count(row[0]) || !is_count(row[1]) || !is_count(row[2]))
      return Error{"curve: holds what cannot be counted"};
    curve.push_back(point_of(row));
  }
  return curve;
}

std::string text_of(const PpoSettings& ppo) {
  return fmt::format(
      "gamma {} lambda {} clip {} kl {} entropy {} rates {} {} passes {} {} minibatch {} gradient "
      "{} {} loss of {} values",
      ppo.gamma, ppo.lambda, ppo.clip, ppo.target_divergence, ppo.entropy, ppo.policy_rate,
      ppo.value_rate, ppo.policy_iterations, ppo.value_iterations, ppo.minibatch,
      ppo.longest_gradient, ppo.value_loss == ValueLoss::huber ? "huber" : "squared",
      ppo.scale_values ? "scaled" : "plain");
}

void put_training(Weights& weights, std::string_view kind, const TrainingDescription& texts) {
  weights.metadata[kKindText] = kind;
  for (const auto& [name, text] : texts) weights.metadata[kSettings + name] = text;
}

Result<Done> check_training(const Weights& weights, std::string_view kind,
                            const TrainingDescription& texts) {
  const auto stored = stored_text(weights, kKindText);
  if (!stored) return stored.error();
  if (*stored != kind) return Error{"is not a checkpoint of such a training"};
  std::string differing;
  for (const auto& [name, mine] : texts) {
    const auto theirs = stored_text(weights, kSettings + name);
    if (!theirs) return theirs.error();
    if (*theirs == mine) continue;
    differing += fmt::format("{}{} was '{}' and is now '{}'", differing.empty() ? "" : ", ", name,
                             *theirs, mine);
  }
  if (differing.empty()) return Done{};
  return Error{
      fmt::format("is of another training: {}; go on with the same, or train anew without --resume",
                  differing)};
}

Result<ActorCritic> stored_net(const Weights& weights, const std::string& prefix,
                               const NetShape& shape) {
  auto net = ActorCritic::load(part_of(weights, prefix));
  if (net && net->shape() != shape)
    return Error{"holds a network that is not of the shape that its features need"};
  return net;
}

void NetInTraining::record_validation(double reached, CurvePoint& point) {
  point.validation = reached;
  ++stale;
  if (reached > best_return) {
    best_return = reached;
    best = ppo.net();
    stale = 0;
  }
  point.best = best_return;
}

void put_progress(Weights& weights, std::vector<std::uint64_t> counters,
                  const TrainingProgress& progress) {
  put_curve(weights, progress.curve);
  const std::optional<NetInTraining>& current = progress.current;
  counters.insert(counters.end(),
                  {current ? 1u : 0u, current ? current->update : 0, current ? current->stale : 0});
  if (current) put_net(*current, weights);
  weights.tensors[kProgress] = {{counters.size()}, std::move(counters)};
}

Result<StoredProgress> stored_progress(const Weights& weights, std::size_t counters,
                                       const PpoSettings& settings, const NetShape& shape) {
  const auto numbers = stored_values<std::uint64_t>(weights, kProgress, {counters + 3});
  if (!numbers) return numbers.error();
  auto curve = stored_curve(weights);
  if (!curve) return std::move(curve).error();
  const auto own = numbers->begin() + static_cast<std::ptrdiff_t>(counters);
  StoredProgress stored{.counters = {numbers->begin(), own}};
  stored.progress.curve = *std::move(curve);
  if (own[0] == 0) return stored;
  auto current = load_net(weights, settings, shape);
  if (!current) return std::move(current).error();
  current->update = own[1];
  current->stale = own[2];
  stored.progress.current = *std::move(current);
  return stored;
}

}  // namespace penstock
