#include "learn/net/net_in_training.h"

#include "learn/net/training_texts.h"
#include "learn/net/weights_part.h"

namespace penstock {
namespace {

constexpr const char* kNow = "now/";
constexpr const char* kBest = "best/";
constexpr const char* kReached = "best_return";

}  // namespace

void NetInTraining::judge(double reached, CurvePoint& point) {
  point.validation = reached;
  ++stale;
  if (reached > best_return) {
    best_return = reached;
    best = ppo.net();
    stale = 0;
  }
  point.best = best_return;
}

void put_net_in_training(const NetInTraining& net, Weights& weights) {
  Weights now;
  net.ppo.store(now);
  put_part(weights, kNow, now);
  Weights best;
  net.best.store(best);
  put_part(weights, kBest, best);
  weights.tensors[kReached] = {{1}, std::vector<double>{net.best_return}};
}

Result<NetInTraining> stored_net_in_training(const Weights& weights, const PpoSettings& settings,
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

}  // namespace penstock
