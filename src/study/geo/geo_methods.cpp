#include "study/geo/geo_methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace penstock {
namespace {

constexpr std::string_view kMarlSeed = "marl-seed";
constexpr unsigned kMostSeeds = 99;

/// The router that plays a file of weights: a variant of marl is trained otherwise, played alike.
std::string router_of(const std::string& learned) {
  return is_marl_variant(learned) ? "marl" : learned;
}

void add_if_trained(std::vector<Method>& all, const std::filesystem::path& weights,
                    const std::string& workload, const std::string& name) {
  const std::filesystem::path file = weights / fmt::format("geo-{}-{}.safetensors", workload, name);
  std::error_code error;
  if (std::filesystem::exists(file, error))
    all.push_back(geo_method(name, {{"router", router_of(name)}, {"weights", file.string()}}));
}

}  // namespace

Method geo_method(std::string name, Options options) {
  options.emplace("site", "fifo");
  options.emplace("site.backfill", "easy");
  return {std::move(name), {"geo", std::move(options)}};
}

std::vector<std::string> simple_routers() {
  return {"local", "random", "round-robin", "cheapest", "greenest", "least-loaded", "most-free"};
}

bool is_simple_router(std::string_view method) {
  const auto all = simple_routers();
  return std::ranges::find(all, method) != all.end();
}

std::vector<std::string> learned_routers() {
  return {"marl",           "independent-rl",   "single-rl",
          "marl-no-critic", "marl-no-transfer", "marl-no-waiting"};
}

bool is_learned_router(std::string_view method) {
  const auto all = learned_routers();
  return is_marl_seed(method) || std::ranges::find(all, method) != all.end();
}

bool is_marl_variant(std::string_view method) {
  return method.starts_with("marl-");
}

bool is_marl_seed(std::string_view method) {
  return method.starts_with(kMarlSeed);
}

std::span<const std::string_view> forecasting_routers() {
  static constexpr auto kAll = std::to_array<std::string_view>({"local", "thrifty", "mpc", "marl"});
  return kAll;
}

std::vector<Method> geo_methods(const std::filesystem::path& weights, const std::string& workload) {
  std::vector<Method> all;
  for (const std::string& router : simple_routers())
    all.push_back(geo_method(router, {{"router", router}}));
  all.push_back(geo_method("cheapest+wait", {{"router", "cheapest"}, {"wait", "cheapest"}}));
  all.push_back(geo_method("greenest+wait", {{"router", "greenest"}, {"wait", "greenest"}}));
  for (const char* router : {"thrifty", "thrifty-wait", "mpc"})
    all.push_back(geo_method(router, {{"router", router}}));
  for (const std::string& name : learned_routers()) add_if_trained(all, weights, workload, name);
  for (unsigned seed = 1; seed <= kMostSeeds; ++seed)
    add_if_trained(all, weights, workload, fmt::format("{}{}", kMarlSeed, seed));
  return all;
}

}  // namespace penstock
