#include "learn/net/actor_critic.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "learn/net/gradient.h"
#include "learn/net/networks.h"

namespace penstock {
namespace {

constexpr std::uint32_t kMostFeatures = 4096;

constexpr const char* kActorKind = "net.kind";
constexpr const char* kItemFeatures = "net.item_features";
constexpr const char* kGlobalFeatures = "net.global_features";
constexpr const char* kScale = "value.scale";

/// Runs a network over all windows, a few at a time.
template <class Net>
void evaluate(const Net& net, const Parameters& parameters, const Windows& windows,
              std::vector<float>& out) {
  std::vector<std::uint32_t> all(windows.size());
  std::iota(all.begin(), all.end(), 0u);
  typename Net::Tape tape;
  out.clear();
  for_each_chunk(windows, all, [&](const Windows& chunk, std::span<const std::uint32_t>) {
    const Matrix<float>& answers = net.forward(parameters.values.data(), batch_of(chunk), tape);
    out.insert(out.end(), answers.data(), answers.data() + answers.size());
  });
}

std::string kind_name(ActorKind kind) {
  return kind == ActorKind::kernel ? "kernel" : "attention";
}

Result<ActorKind> load_kind(const Weights& weights) {
  const auto name = stored_text(weights, kActorKind);
  if (!name) return name.error();
  for (const ActorKind kind : {ActorKind::kernel, ActorKind::attention})
    if (*name == kind_name(kind)) return kind;
  return Error{fmt::format("{}: no '{}'; there are: kernel attention", kActorKind, *name)};
}

Result<std::uint32_t> load_features(const Weights& weights, const char* key, std::uint32_t least) {
  const auto text = stored_text(weights, key);
  if (!text) return text.error();
  std::uint32_t number = 0;
  const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (failed != std::errc() || end != text->data() + text->size() || number < least ||
      number > kMostFeatures)
    return Error{fmt::format("{}: '{}' is not a whole number from {} to {}", key, *text, least,
                             kMostFeatures)};
  return number;
}

Result<NetShape> load_shape(const Weights& weights) {
  const auto kind = load_kind(weights);
  if (!kind) return kind.error();
  const auto items = load_features(weights, kItemFeatures, 1);
  if (!items) return items.error();
  const auto globals = load_features(weights, kGlobalFeatures, 0);
  if (!globals) return globals.error();
  return NetShape{*kind, *items, *globals};
}

void store_parameters(const Parameters& parameters, Weights& weights) {
  for (const Tensor& tensor : parameters.tensors.all()) {
    const float* first = parameters.values.data() + tensor.offset;
    weights.tensors[tensor.name] = {{tensor.rows, tensor.cols},
                                    std::vector<float>(first, first + tensor.size())};
  }
}

Result<Done> load_parameters(const Weights& weights, Parameters& parameters) {
  for (const Tensor& tensor : parameters.tensors.all()) {
    const auto values = stored_values<float>(weights, tensor.name, {tensor.rows, tensor.cols});
    if (!values) return values.error();
    if (!std::ranges::all_of(*values, [](float v) { return std::isfinite(v); }))
      return Error{tensor.name + ": holds what is not a finite number"};
    std::ranges::copy(*values, parameters.values.begin() + as_index(tensor.offset));
  }
  return Done{};
}

}  // namespace

void ValueScale::add(double value) {
  ++count;
  const double away = value - mean;
  mean += away / count;
  squares += away * (value - mean);
}

double ValueScale::deviation() const {
  const double variance = count > 0 ? squares / count : 0;
  return variance > 0 ? std::sqrt(variance) : 1;
}

ActorCritic::ActorCritic(const NetShape& shape) : shape_(shape) {
  PENSTOCK_CHECK(shape.item_features > 0);
  const ActorNet<float> actor_net(actor.tensors, shape);
  const CriticNet<float> critic_net(critic.tensors, shape);
  actor.values.resize(actor.tensors.size());
  critic.values.resize(critic.tensors.size());
}

ActorCritic::ActorCritic(const NetShape& shape, const Rng& rng) : ActorCritic(shape) {
  Tensors scratch;
  ActorNet<float>(scratch, shape).initialise(actor.values, rng.stream("actor"));
  scratch = {};
  CriticNet<float>(scratch, shape).initialise(critic.values, rng.stream("critic"));
}

void ActorCritic::logits(const Windows& windows, std::vector<float>& out) const {
  Tensors scratch;
  evaluate(ActorNet<float>(scratch, shape_), actor, windows, out);
}

void ActorCritic::values(const Windows& windows, std::vector<float>& out) const {
  Tensors scratch;
  evaluate(CriticNet<float>(scratch, shape_), critic, windows, out);
  for (float& value : out) value = static_cast<float>(scale.denormalise(value));
}

void ActorCritic::store(Weights& weights) const {
  weights.metadata[kActorKind] = kind_name(shape_.kind);
  weights.metadata[kItemFeatures] = std::to_string(shape_.item_features);
  weights.metadata[kGlobalFeatures] = std::to_string(shape_.global_features);
  store_parameters(actor, weights);
  store_parameters(critic, weights);
  weights.tensors[kScale] = {{3}, std::vector<double>{scale.count, scale.mean, scale.squares}};
}

Result<ActorCritic> ActorCritic::load(const Weights& weights) {
  const auto shape = load_shape(weights);
  if (!shape) return shape.error();
  ActorCritic net(*shape);
  for (Parameters* part : {&net.actor, &net.critic})
    if (auto loaded = load_parameters(weights, *part); !loaded) return std::move(loaded).error();
  const auto scale = stored_values<double>(weights, kScale, {3});
  if (!scale) return scale.error();
  net.scale = {(*scale)[0], (*scale)[1], (*scale)[2]};
  const bool sound = net.scale.count >= 0 && net.scale.squares >= 0 &&
                     std::isfinite(net.scale.count + net.scale.mean + net.scale.squares);
  if (!sound) return Error{fmt::format("{}: is not a count, a mean and a spread", kScale)};
  return net;
}

}  // namespace penstock
