#include "fit/catalogue_fit.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "fit/front_fit.h"
#include "fit/power_transfer.h"

namespace penstock {
namespace {

/// What others call a model, by the name we use.
struct Names {
  std::string_view name;
  std::array<std::string_view, 3> others;
};
constexpr auto kNames = std::to_array<Names>({
    {"resnet50", {"imagenet", "ResNet-50"}},
    {"resnet18", {"ResNet-18"}},
    {"inception3", {"inception_v3"}},
    {"transformer", {"Transformer"}},
    {"lm", {"LM"}},
    {"recommendation", {"Recommendation"}},
    {"cyclegan", {"CycleGAN"}},
    {"a3c", {"A3C"}},
});

std::string our_name(const std::string& model) {
  for (const auto& [name, others] : kNames)
    if (std::ranges::find(others, model) != others.end()) return std::string(name);
  return model;
}

std::vector<std::string> aliases_of(const std::string& model) {
  std::vector<std::string> aliases;
  for (const auto& [name, others] : kNames)
    for (const std::string_view other : others)
      if (name == model && !other.empty()) aliases.emplace_back(other);
  return aliases;
}

/// Of tables of one model and GPU type, the one with the most points counts, or the first.
void choose(std::vector<SpeedReport>& reports) {
  for (SpeedReport& report : reports) {
    const auto rival = [&](const SpeedReport& other) {
      return our_name(other.table.model) == our_name(report.table.model) &&
             other.table.gpu == report.table.gpu;
    };
    const SpeedReport* best = nullptr;
    for (const SpeedReport& other : reports)
      if (rival(other) && (!best || other.table.points.size() > best->table.points.size()))
        best = &other;
    report.chosen = best == &report;
  }
}

/// Batch sizes that a table measured.
struct MeasuredBatches {
  std::set<double> all{};
  std::set<double> alone{};  ///< on the fewest GPUs: those that surely fit
  std::uint32_t fewest = 1;  ///< GPUs
  double local_most = 1;
};

MeasuredBatches batches_of(const SpeedTable& table) {
  const auto gpus = [](const SpeedObservation& seen) { return seen.config.gpus; };
  MeasuredBatches measured{.fewest = gpus(std::ranges::min(table.points, {}, gpus))};
  for (const auto& [config, seconds] : table.points) {
    measured.all.insert(config.batch);
    if (config.gpus == measured.fewest) measured.alone.insert(config.batch);
  }
  measured.local_most = *measured.alone.rbegin() / measured.fewest;
  return measured;
}

/// Batch sizes over all GPUs: those measured, and those that were trained with success and
/// fit into memory. A table that chose the batch of each GPU has no opinion on the sum,
/// unless the trained ones leave one GPU without any. Usual on each GPU is the upper median of
/// those on the fewest.
void set_batches(Profile& profile, const SpeedTable& table, const NoiseReport* noise) {
  const MeasuredBatches measured = batches_of(table);
  std::set<double> trained;
  if (noise)
    for (const auto& [batch, samples] : noise->table.points)
      if (batch <= measured.local_most * profile.gpus_most) trained.insert(batch);
  const bool fits_alone = !trained.empty() && *trained.begin() <= measured.local_most;
  const bool trained_only = table.batch_per_gpu && fits_alone;

  std::set<double> batches = noise ? trained : measured.all;
  if (!trained_only) batches.insert(measured.alone.begin(), measured.alone.end());
  profile.batch = {*batches.begin(), *batches.rbegin(), measured.local_most};

  std::vector<double> usual;
  std::ranges::copy_if(trained_only ? trained : measured.alone, std::back_inserter(usual),
                       [&](double batch) { return batch <= *measured.alone.rbegin(); });
  profile.batch_usual = std::max(1.0, usual[usual.size() / 2] / measured.fewest);
}

FittedProfile profile_of(const SpeedReport& report, const PowerTransfer& transfer,
                         const std::vector<NoiseReport>& all_noise) {
  const SpeedTable& table = report.table;
  FittedProfile fitted;
  Profile& profile = fitted.profile;
  profile.name = our_name(table.model);
  profile.aliases = aliases_of(profile.name);
  profile.gpu = table.gpu;
  const auto noise = std::ranges::find_if(
      all_noise, [&](const NoiseReport& n) { return our_name(n.table.model) == profile.name; });
  const bool has_noise = noise != all_noise.end();
  for (const auto& [config, seconds] : table.points)
    profile.gpus_most = std::max(profile.gpus_most, config.gpus);
  set_batches(profile, table, has_noise ? &*noise : nullptr);
  const double local = std::min(profile.batch_usual, profile.batch.local_most);
  const TransferredPower power = transfer.power_for(profile.name, table.gpu, local);
  profile.speed = report.fit.model;
  profile.speed.delta = power.delta;
  profile.power = power.power;
  if (has_noise) profile.noise = noise->fit.model;
  profile.source = "speed: " + table.source + "; " + power.source +
                   (has_noise ? "; noise: " + noise->table.source : "");
  fitted.errors = {.speed_in = report.fit.error, .speed_held_out = report.held_out.both};
  if (power.measured) {
    fitted.errors.power_in = power.measured->fit.draw_error;
    fitted.errors.power_held_out = power.measured->held_out.draw;
    fitted.errors.energy_held_out = power.measured->held_out.energy;
  }
  return fitted;
}

}  // namespace

FittedCatalogue fit_catalogue(const Measurements& measurements) {
  FittedCatalogue catalogue;
  for (const ClockSweep& sweep : measurements.clocks)
    catalogue.powers.push_back(report_power(sweep));
  for (const LimitSweep& sweep : measurements.limits)
    catalogue.powers.push_back(report_power(sweep));
  for (const NoiseTable& table : measurements.noise)
    catalogue.noise.push_back({table, fit_noise(table.points)});
  for (const SpeedTable& table : measurements.speeds)
    catalogue.speeds.push_back({table, fit_speed(table.points), hold_out(table)});
  choose(catalogue.speeds);
  const PowerTransfer transfer(measurements, catalogue.powers);
  for (const SpeedReport& report : catalogue.speeds)
    if (report.chosen) catalogue.profiles.push_back(profile_of(report, transfer, catalogue.noise));
  for (const PipelineFront& front : measurements.fronts)
    catalogue.profiles.push_back({.profile = front_profile(front)});
  std::ranges::sort(catalogue.profiles, {}, [](const FittedProfile& fitted) {
    return std::pair(fitted.profile.gpu, fitted.profile.name);
  });
  return catalogue;
}

}  // namespace penstock
