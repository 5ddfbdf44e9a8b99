#include "io/profiles/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "io/scenario/table_reader.h"
#include "io/text/file.h"
#include "io/text/lines.h"
#include "io/text/number.h"

namespace penstock {
namespace {

using ModelField = std::pair<std::string_view, double*>;

constexpr double kLeast = 1e-12;    // "positive", with a bound that can be shown
constexpr double kMostTime = 1e6;   // seconds; no iteration takes longer
constexpr double kMostEpoch = 1e9;  // seconds
constexpr std::uint32_t kMostNodeGpus = 4096;
constexpr double kMostWatts = 1e5;
constexpr double kMostJoules = 1e12;

/// A number that must be there.
void required(TableReader& table, std::string_view key, double& value, Range range) {
  if (table.require(key)) table.number(key, value, range);
}

void read_speed(TableReader& model, SpeedModel& speed) {
  if (!model.require("speed")) return;
  auto table = model.table("speed", "{ alpha_c = 0.01, … }");
  if (!table) return;
  const auto times = std::to_array<ModelField>({{"alpha_c", &speed.alpha_c},
                                                {"beta_c", &speed.beta_c},
                                                {"alpha_r", &speed.alpha_r},
                                                {"beta_r", &speed.beta_r},
                                                {"alpha_n", &speed.alpha_n},
                                                {"beta_n", &speed.beta_n}});
  for (const auto& [key, value] : times)
    required(*table, key, *value, {.least = kLeast, .most = kMostTime});
  required(*table, "gamma", speed.gamma, {.least = 1, .most = 10});
  required(*table, "delta", speed.delta, {.least = 0, .most = 1});
  table->finish();
}

void read_power(TableReader& model, PowerModel& power) {
  if (!model.require("power")) return;
  auto table = model.table("power", "{ p0 = 60, p1 = 100, p3 = 200, p1_sync = 50 }");
  if (!table) return;
  const auto watts = [&](std::string_view key, Watts& value, double least) {
    double number = 0;
    required(*table, key, number, {.least = least, .most = kMostWatts});
    value = Watts(number);
  };
  watts("p0", power.p0, kLeast);
  watts("p1", power.p1, 0);
  watts("p3", power.p3, 0);
  watts("p1_sync", power.p1_sync, 0);
  table->finish();
}

void read_batch(TableReader& model, Profile& profile) {
  if (!model.require("batch")) return;
  auto table = model.table("batch", "{ least = 64, most = 256, local_most = 256, usual = 128 }");
  if (!table) return;
  BatchRange& batch = profile.batch;
  const Range sensible{.least = 1, .most = 1e9};
  required(*table, "least", batch.least, sensible);
  required(*table, "most", batch.most, sensible);
  required(*table, "local_most", batch.local_most, sensible);
  required(*table, "usual", profile.batch_usual, sensible);
  table->flag("accumulates", batch.accumulates);
  if (batch.least > batch.most)
    table->problem("", fmt::format("is empty: least {} is above most {}", batch.least, batch.most));
  else if (profile.batch_usual > std::min(batch.most, batch.local_most))
    table->problem("usual", fmt::format("{} on each GPU is above most {} or local_most {}",
                                        profile.batch_usual, batch.most, batch.local_most));
  table->finish();
}

void read_noise(TableReader& model, NoiseModel& noise) {
  auto table = model.table("noise", "{ base = 64, scale = 1000 }");
  if (!table) return;
  double scale = 0;
  required(*table, "base", noise.base, {.least = 1, .most = 1e9});
  required(*table, "scale", scale, {.least = kLeast, .most = 1e15});
  noise.scale = scale;
  table->finish();
}

/// { "1" = 43.1, "2" = 30.6 }, by GPUs.
void read_epoch_table(TableReader& model, Profile& profile) {
  auto table = model.table("seconds_per_epoch", R"({ "1" = 43.1, "2" = 30.6 })");
  if (!table) return;
  std::vector<std::pair<std::uint32_t, double>> seconds;
  for (const auto& [key, node] : table->raw()) {
    const auto gpus = parse_number<std::uint32_t>(key.str());
    double epoch = 1;
    table->number(key.str(), epoch, {.least = kLeast, .most = kMostEpoch});
    if (!gpus || *gpus == 0 || *gpus > kMostNodeGpus)
      table->problem(key.str(),
                     fmt::format("must be named by a number of GPUs, 1 to {}", kMostNodeGpus));
    else
      seconds.emplace_back(*gpus, epoch);
  }
  if (seconds.empty()) return table->problem("", "has no entry");
  const Profile read = table_profile("", "", seconds);
  profile.epoch_seconds = read.epoch_seconds;
  profile.gpus_most = read.gpus_most;
}

/// [15.6, 46770.5]: a number of seconds and one of joules.
std::optional<FrontPoint> front_point(const toml::node& node) {
  const toml::array* pair = node.as_array();
  if (!pair || pair->size() != 2) return std::nullopt;
  const auto seconds = (*pair)[0].value<double>();
  const auto joules = (*pair)[1].value<double>();
  if (!seconds || !joules || !(*seconds >= kLeast && *seconds <= kMostTime) ||
      !(*joules >= kLeast && *joules <= kMostJoules))
    return std::nullopt;
  return FrontPoint{*seconds, *joules};
}

void read_front(TableReader& model, Profile& profile) {
  if (model.require("gpus")) model.whole("gpus", profile.gpus_most, {.least = 1});
  profile.gpus_least = profile.gpus_most;
  const toml::array* points = model.get("front")->as_array();
  if (!points || points->empty())
    return model.problem("front", "must be a list of points such as [[15.6, 46770.5], …]");
  for (const toml::node& node : *points) {
    const auto point = front_point(node);
    if (!point)
      return model.problem("front", fmt::format("point {} is not [seconds, joules], both positive",
                                                profile.front.size() + 1));
    const bool follows = profile.front.empty() || (point->seconds > profile.front.back().seconds &&
                                                   point->joules < profile.front.back().joules);
    if (!follows)
      return model.problem("front",
                           fmt::format("point {} is not slower than the one before, with less "
                                       "energy",
                                       profile.front.size() + 1));
    profile.front.push_back(*point);
  }
}

/// By a table of epochs, by a front, or by the formula.
void read_times(TableReader& model, Profile& profile) {
  const std::string_view instead = model.has("front") ? "front" : "seconds_per_epoch";
  if (!model.has(instead)) {
    if (model.require("gpus_most")) model.whole("gpus_most", profile.gpus_most, {.least = 1});
    read_batch(model, profile);
    read_speed(model, profile.speed);
    read_noise(model, profile.noise);
    return;
  }
  if (instead == "front")
    read_front(model, profile);
  else
    read_epoch_table(model, profile);
  for (const std::string_view key : {"speed", "batch", "noise", "gpus_most", "seconds_per_epoch"})
    if (key != instead && model.has(key))
      model.problem(key, fmt::format("stands beside {}, which says it all", instead));
}

void read_aliases(TableReader& model, std::vector<std::string>& aliases) {
  const toml::node* node = model.get("aliases");
  if (!node) return;
  const toml::array* list = node->as_array();
  if (!list || (!list->empty() && !list->is_homogeneous(toml::node_type::string)))
    return model.problem("aliases", "must be a list of texts such as [\"imagenet\"]");
  for (const toml::node& alias : *list) aliases.push_back(alias.as_string()->get());
}

/// Errors are for people; here they only have to make sense.
void check_errors(TableReader& model) {
  auto table = model.table("error", "{ speed_in = 0.01 }");
  if (!table) return;
  double ignored = 0;
  for (const std::string_view key :
       {"speed_in", "speed_held_out", "power_in", "power_held_out", "energy_held_out"})
    table->number(key, ignored, {.least = 0, .most = 1e6});
  table->finish();
}

void require_text(TableReader& model, std::string_view key, std::string& value) {
  if (model.require(key) && model.text(key, value) && value.empty()) model.problem(key, "is empty");
}

Profile read_catalogue_model(TableReader& model) {
  Profile profile;
  require_text(model, "name", profile.name);
  read_aliases(model, profile.aliases);
  require_text(model, "gpu", profile.gpu);
  read_times(model, profile);
  read_power(model, profile.power);
  if (const auto memory = model.quantity("memory", Measure::memory, 0))
    profile.memory_gib = memory->value;
  check_errors(model);
  model.text("source", profile.source);
  model.finish();
  return profile;
}

bool answers_to(const Profile& profile, const std::string& name) {
  return profile.name == name || std::ranges::find(profile.aliases, name) != profile.aliases.end();
}

/// A job names a model and a GPU type: both together must say which model is meant.
void refuse_second(TableReader& model, const Profile& profile, const std::vector<Profile>& others) {
  std::vector<std::string> names = profile.aliases;
  names.insert(names.begin(), profile.name);
  for (const Profile& other : others)
    for (const std::string& name : names)
      if (other.gpu == profile.gpu && answers_to(other, name))
        return model.problem("name", fmt::format("there is already a model {} for the GPU {}",
                                                 in_quotes(name), in_quotes(profile.gpu)));
}

}  // namespace

Result<std::vector<Profile>> parse_profiles(std::string_view text, const std::string& file) {
  auto table = parse_toml(text, file);
  if (!table) return table.error();
  ProblemList problems(file);
  TableReader root(*table, "", problems);
  std::vector<Profile> profiles;
  for (TableReader& model : root.tables("model")) {
    Profile profile = read_catalogue_model(model);
    refuse_second(model, profile, profiles);
    profiles.push_back(std::move(profile));
  }
  root.finish();
  if (profiles.empty() && problems.empty()) problems.add("has no [[model]]");
  if (!problems.empty()) return problems.as_error();
  return profiles;
}

Result<std::vector<Profile>> read_profiles(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) return text.error();
  return parse_profiles(*text, path.string());
}

namespace {

/// The shortest text that reads back as the same number, never taken for a whole one.
std::string number_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string toml_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    if (code < 0x20 || code == 0x7f)
      out += fmt::format("\\u{:04x}", code);
    else
      out += c;
  }
  return out + '"';
}

std::string inline_table(std::initializer_list<std::pair<std::string_view, double>> fields) {
  std::string out = "{";
  for (const auto& [key, value] : fields)
    out += fmt::format("{} {} = {}", out.size() > 1 ? "," : "", key, number_text(value));
  return out + " }";
}

std::string aliases_line(const Profile& profile) {
  if (profile.aliases.empty()) return "";
  std::string names;
  for (const std::string& alias : profile.aliases)
    names += (names.empty() ? "" : ", ") + toml_text(alias);
  return fmt::format("aliases = [{}]\n", names);
}

/// Only the errors that were measured, with four digits: they are for people.
std::string error_line(const ProfileErrors& errors) {
  const auto fields = std::to_array<std::pair<std::string_view, double>>(
      {{"speed_in", errors.speed_in},
       {"speed_held_out", errors.speed_held_out},
       {"power_in", errors.power_in},
       {"power_held_out", errors.power_held_out},
       {"energy_held_out", errors.energy_held_out}});
  std::string known;
  for (const auto& [key, value] : fields)
    if (value >= 0) known += fmt::format("{} {} = {:.4f}", known.empty() ? "" : ",", key, value);
  return known.empty() ? "" : fmt::format("error = {{{} }}\n", known);
}

std::string epochs_line(const Profile& profile) {
  std::string entries;
  for (std::size_t i = 0; i < profile.epoch_seconds.size(); ++i)
    if (profile.epoch_seconds[i] > 0)
      entries += fmt::format("{} \"{}\" = {}", entries.empty() ? "" : ",", i + 1,
                             number_text(profile.epoch_seconds[i]));
  return fmt::format("seconds_per_epoch = {{{} }}\n", entries);
}

std::string batch_line(const Profile& profile) {
  const BatchRange& batch = profile.batch;
  std::string line = inline_table({{"least", batch.least},
                                   {"most", batch.most},
                                   {"local_most", batch.local_most},
                                   {"usual", profile.batch_usual}});
  if (!batch.accumulates) line.insert(line.size() - 2, ", accumulates = false");
  return fmt::format("batch = {}\n", line);
}

std::string front_lines(const Profile& profile) {
  std::string points;
  for (const auto& [seconds, joules] : profile.front)
    points += fmt::format("{}[{}, {}]", points.empty() ? "" : ", ", number_text(seconds),
                          number_text(joules));
  return fmt::format("gpus = {}\nfront = [{}]\n", profile.gpus_most, points);
}

/// How long it takes: by a table, by a front, or by the formula.
std::string times_text(const Profile& p) {
  if (p.is_table()) return epochs_line(p);
  if (p.is_front()) return front_lines(p);
  const SpeedModel& s = p.speed;
  std::string out = fmt::format("gpus_most = {}\n", p.gpus_most);
  out += batch_line(p);
  out += fmt::format("speed = {}\n", inline_table({{"alpha_c", s.alpha_c},
                                                   {"beta_c", s.beta_c},
                                                   {"alpha_r", s.alpha_r},
                                                   {"beta_r", s.beta_r},
                                                   {"alpha_n", s.alpha_n},
                                                   {"beta_n", s.beta_n},
                                                   {"gamma", s.gamma},
                                                   {"delta", s.delta}}));
  return out;
}

std::string entry_text(const FittedProfile& entry) {
  const Profile& p = entry.profile;
  std::string out = fmt::format("\n[[model]]\nname = {}\n", toml_text(p.name));
  out += aliases_line(p);
  out += fmt::format("gpu = {}\n", toml_text(p.gpu));
  out += times_text(p);
  out += fmt::format("power = {}\n", inline_table({{"p0", p.power.p0.value()},
                                                   {"p1", p.power.p1.value()},
                                                   {"p3", p.power.p3.value()},
                                                   {"p1_sync", p.power.p1_sync.value()}}));
  if (p.noise.scale)
    out += fmt::format("noise = {}\n",
                       inline_table({{"base", p.noise.base}, {"scale", *p.noise.scale}}));
  if (p.memory_gib > 0) out += fmt::format("memory = \"{} GiB\"\n", p.memory_gib);
  out += error_line(entry.errors);
  out += fmt::format("source = {}\n", toml_text(p.source));
  return out;
}

}  // namespace

std::string profiles_toml(std::span<const FittedProfile> entries, std::string_view head) {
  std::string out;
  LineReader lines(head);
  while (const auto line = lines.next()) out += fmt::format("# {}\n", *line);
  for (const FittedProfile& entry : entries) out += entry_text(entry);
  return out;
}

}  // namespace penstock
