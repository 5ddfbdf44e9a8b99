// V100 throughputs of isolated jobs ("null"), rounded to five digits, from
// stanford-futuredata/gavel@c4fa400 (MIT), scheduler/simulation_throughputs.json.
#include "io/traces/gavel_table.h"

#include <algorithm>
#include <array>
#include <bit>

namespace penstock {
namespace {

/// Steps per second on 1, 2, 4 and 8 GPUs; 0 where none was measured.
struct Throughputs {
  std::string_view job_type{};
  std::array<double, 4> on{};
};

constexpr auto kThroughputs = std::to_array<Throughputs>({
    {"ResNet-18 (batch size 16)", {32.353, 100.14, 123.85, 382.6}},
    {"ResNet-18 (batch size 32)", {29.947, 94.249, 114.73, 340.04}},
    {"ResNet-18 (batch size 64)", {24.093, 74.136, 95.588, 255.83}},
    {"ResNet-18 (batch size 128)", {17.995, 23.985, 69.951, 162.09}},
    {"ResNet-18 (batch size 256)", {10.3, 15.883, 27.782, 81.507}},
    {"ResNet-50 (batch size 16)", {11.396, 13.86, 23.196, 27.799}},
    {"ResNet-50 (batch size 32)", {7.7873, 10.835, 13.763, 24.067}},
    {"ResNet-50 (batch size 64)", {4.3948, 7.9221, 9.4519, 17.303}},
    {"ResNet-50 (batch size 128)", {2.4968, 4.223, 7.0293, 10.293}},
    {"Transformer (batch size 16)", {11.064, 14.154, 20.085, 71.652}},
    {"Transformer (batch size 32)", {10.621, 13.328, 22.823, 63.978}},
    {"Transformer (batch size 64)", {8.6178, 15.876, 19.66, 49.651}},
    {"Transformer (batch size 128)", {5.4461, 10.069, 14.175, 30.884}},
    {"Transformer (batch size 256)", {1.5951, 2.8852, 4.763, 9.717}},
    {"A3C", {7.1758, 0, 0, 0}},
    {"LM (batch size 5)", {109.17, 185.72, 126.72, 698.77}},
    {"LM (batch size 10)", {81.652, 163.13, 121.48, 615.09}},
    {"LM (batch size 20)", {64.742, 132.17, 111, 497.3}},
    {"LM (batch size 40)", {45.237, 91.593, 96.031, 359.31}},
    {"LM (batch size 80)", {28.24, 58.092, 74.807, 231.18}},
    {"Recommendation (batch size 512)", {23.318, 0, 0, 0}},
    {"Recommendation (batch size 1024)", {13.283, 0, 0, 0}},
    {"Recommendation (batch size 2048)", {7.4696, 0, 0, 0}},
    {"Recommendation (batch size 4096)", {3.9061, 0, 0, 0}},
    {"Recommendation (batch size 8192)", {2.8415, 0, 0, 0}},
    {"CycleGAN", {4.4261, 0, 0, 0}},
});

}  // namespace

std::optional<double> gavel_throughput(std::string_view job_type, std::uint32_t gpus) {
  const auto* const found = std::ranges::find(kThroughputs, job_type, &Throughputs::job_type);
  if (found == kThroughputs.end() || !std::has_single_bit(gpus) || gpus > 8) return std::nullopt;
  const double speed = found->on[static_cast<std::size_t>(std::countr_zero(gpus))];
  return speed > 0 ? std::optional(speed) : std::nullopt;
}

}  // namespace penstock
