#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "study/study.h"

namespace penstock {

/// A router of the study, with EASY backfilling at each site.
Method geo_method(std::string name, Options options);

/// Routers that follow one rule, jobs that wait not included.
std::vector<std::string> simple_routers();
bool is_simple_router(std::string_view method);

/// Routers that learn, and marl without one of its parts; further seeds are not among them.
std::vector<std::string> learned_routers();
/// One of these, or marl-seedN.
bool is_learned_router(std::string_view method);
/// A part left out or another seed: of interest only beside marl itself.
bool is_marl_variant(std::string_view method);
bool is_marl_seed(std::string_view method);

/// Routers that look ahead, and are run with other forecasts too; and `local`, the reference.
std::span<const std::string_view> forecasting_routers();

/// Every router of the study; those that learn as far as `weights` has their file
/// geo-WORKLOAD-ROUTER.safetensors.
std::vector<Method> geo_methods(const std::filesystem::path& weights, const std::string& workload);

}  // namespace penstock
