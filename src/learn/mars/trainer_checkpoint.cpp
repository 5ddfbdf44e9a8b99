#include <fmt/format.h>

#include <array>

#include "learn/mars/trainer.h"
#include "learn/mars/weights_part.h"

namespace penstock {
namespace {

constexpr const char* kKind = "penstock.kind";
constexpr const char* kCheckpoint = "queue-training";
constexpr const char* kSettings = "settings.";
constexpr const char* kCurve = "curve";
constexpr const char* kProgress = "progress";  ///< members, whether one is trained, its counters
constexpr const char* kBest = "best_return";
constexpr std::uint64_t kColumns = 10;
constexpr std::uint64_t kCounters = 5;

std::array<double, kColumns> row_of(const CurvePoint& p) {
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

Weights stored(const ActorCritic& net) {
  Weights weights;
  net.store(weights);
  return weights;
}

Error wrong_shape() {
  return Error{"holds a network that is not of the shape that its features need"};
}

Result<ActorCritic> load_net(const Weights& weights, const std::string& prefix, ActorKind kind) {
  auto net = ActorCritic::load(part_of(weights, prefix));
  if (net && net->shape() != observer_shape(kind)) return wrong_shape();
  return net;
}

std::string member_prefix(std::size_t member) {
  return fmt::format("member.{}/", member);
}

}  // namespace

std::string Trainer::checkpoint() const {
  Weights all;
  all.metadata[kKind] = kCheckpoint;
  for (const auto& [name, text] : describe(settings_, grounds_))
    all.metadata[kSettings + name] = text;
  std::vector<double> rows;
  for (const CurvePoint& point : curve_)
    for (const double v : row_of(point)) rows.push_back(v);
  all.tensors[kCurve] = {{curve_.size(), kColumns}, std::move(rows)};
  for (std::size_t i = 0; i < members_.size(); ++i)
    put_part(all, member_prefix(i), stored(members_[i].net));
  std::vector<std::uint64_t> progress{members_.size(), curve_.size(), current_ ? 1u : 0u, 0, 0};
  if (current_) {
    progress[3] = current_->update;
    progress[4] = current_->stale;
    Weights ppo;
    current_->ppo.store(ppo);
    put_part(all, "now/", ppo);
    put_part(all, "best/", stored(current_->best));
    all.tensors[kBest] = {{1}, std::vector<double>{current_->best_return}};
  }
  all.tensors[kProgress] = {{kCounters}, std::move(progress)};
  return encode_weights(all);
}

Result<Done> Trainer::check_origin(const Weights& weights) const {
  const auto kind = stored_text(weights, kKind);
  if (!kind) return kind.error();
  if (*kind != kCheckpoint) return Error{"is not a checkpoint of a training"};
  for (const auto& [name, mine] : describe(settings_, grounds_)) {
    const auto theirs = stored_text(weights, kSettings + name);
    if (!theirs) return theirs.error();
    if (*theirs != mine)
      return Error{
          fmt::format("is of another training: {} was '{}' and is now '{}'; go on with "
                      "the same, or train anew without --resume",
                      name, *theirs, mine)};
  }
  return Done{};
}

Result<std::vector<Member>> Trainer::load_members(const Weights& weights,
                                                  std::uint64_t count) const {
  if (count > settings_.teachers.size()) return Error{"holds more networks than are asked for"};
  std::vector<Member> members;
  for (std::size_t i = 0; i < count; ++i) {
    auto net = load_net(weights, member_prefix(i), settings_.kind);
    if (!net) return std::move(net).error().in(name_of(i));
    members.push_back({name_of(i), *std::move(net)});
  }
  return members;
}

Result<Trainer::Current> Trainer::load_current(const Weights& weights) const {
  auto ppo = Ppo::load(part_of(weights, "now/"), settings_.ppo);
  if (!ppo) return std::move(ppo).error();
  auto best = load_net(weights, "best/", settings_.kind);
  if (!best) return std::move(best).error();
  if (ppo->net().shape() != best->shape()) return wrong_shape();
  const auto reached = stored_values<double>(weights, kBest, {1});
  if (!reached) return reached.error();
  return Current{.ppo = *std::move(ppo), .best = *std::move(best), .best_return = reached->front()};
}

Result<Done> Trainer::resume(std::string_view checkpoint) {
  const auto weights = decode_weights(checkpoint);
  if (!weights) return weights.error();
  if (auto same = check_origin(*weights); !same) return same;
  const auto progress = stored_values<std::uint64_t>(*weights, kProgress, {kCounters});
  if (!progress) return progress.error();
  auto members = load_members(*weights, (*progress)[0]);
  if (!members) return std::move(members).error();
  const auto rows = stored_values<double>(*weights, kCurve, {(*progress)[1], kColumns});
  if (!rows) return rows.error();
  std::optional<Current> current;
  if ((*progress)[2] != 0) {
    auto loaded = load_current(*weights);
    if (!loaded) return std::move(loaded).error();
    current = *std::move(loaded);
    current->update = (*progress)[3];
    current->stale = (*progress)[4];
  }
  members_ = *std::move(members);
  current_ = std::move(current);
  curve_.clear();
  for (std::size_t at = 0; at < rows->size(); at += kColumns)
    curve_.push_back(point_of(std::span(*rows).subspan(at, kColumns)));
  return Done{};
}

}  // namespace penstock
