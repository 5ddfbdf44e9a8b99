#include <fmt/format.h>

#include <array>
#include <utility>

#include "io/profiles/catalogue.h"
#include "io/text/lines.h"

namespace penstock {
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

/// How long it takes: by a table or by the formula.
std::string times_text(const Profile& p) {
  if (p.is_table()) return epochs_line(p);
  const SpeedModel& s = p.speed;
  std::string out = fmt::format("gpus_most = {}\n", p.gpus_most);
  out += fmt::format("batch = {}\n", inline_table({{"least", p.batch.least},
                                                   {"most", p.batch.most},
                                                   {"local_most", p.batch.local_most},
                                                   {"usual", p.batch_usual}}));
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
