#include "io/profiles/measurement_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/profiles/formats.h"
#include "io/text/file.h"
#include "io/text/number.h"

namespace penstock {

Error cell_error(const CsvTable& table, std::size_t column, std::string_view what) {
  return {fmt::format("{}: {}: {}", table.where(), table.columns()[column], what)};
}

Result<double> cell_number(const CsvTable& table, std::size_t column, ValueRange range) {
  const std::string_view text = table.cell(column);
  const auto number = parse_number<double>(text);
  if (!number) return cell_error(table, column, number.error().message);
  if (*number < range.least || *number > range.most)
    return cell_error(table, column,
                      fmt::format("{} is not believable; from {} to {} is", in_quotes(text),
                                  range.least, range.most));
  return *number;
}

Result<std::optional<double>> cell_measured(const CsvTable& table, std::size_t column,
                                            ValueRange range) {
  const std::string_view text = table.cell(column);
  const auto number = parse_number<double>(text);
  if (text.empty() || (number && *number == 0)) return std::optional<double>{};
  const auto believable = cell_number(table, column, range);
  if (!believable) return believable.error();
  return std::optional(*believable);
}

bool head_is(const MeasurementFile& file, std::string_view head) {
  LineReader lines(file.text);
  const auto first = lines.next();
  return first && first->starts_with(head);
}

SpeedTable& speed_table(CollectedMeasurements& into, const std::string& model,
                        const std::string& gpu, const std::string& source) {
  auto& all = into.measurements.speeds;
  const auto found = std::ranges::find_if(all, [&](const SpeedTable& table) {
    return table.model == model && table.gpu == gpu && table.source == source;
  });
  if (found != all.end()) return *found;
  return all.emplace_back(SpeedTable{.model = model, .gpu = gpu, .source = source});
}

namespace {

constexpr auto kFormats = std::to_array<MeasurementFormat>({
    {"ElasticFlow throughput table", knows_elasticflow, read_elasticflow},
    {"Pollux step times", knows_pollux_times, read_pollux_times},
    {"Pollux validation", knows_pollux_validation, read_pollux_validation},
    {"Gavel throughputs", knows_gavel, read_gavel},
    {"Zeus power table", knows_zeus, read_zeus},
    {"Perseus stage profile", knows_perseus, read_perseus},
    {"Perseus front", knows_perseus_front, read_perseus_front},
});

std::string bare_name(const std::filesystem::path& path) {
  std::string name = path.filename().string();
  for (const std::string_view ending : {".gz", ".csv", ".json"})
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  return name;
}

/// All files under a path, in the order of their names.
Result<std::vector<std::filesystem::path>> files_under(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return std::vector{path};
  std::vector<std::filesystem::path> files;
  auto entry = std::filesystem::recursive_directory_iterator(path, error);
  for (; !error && entry != std::filesystem::recursive_directory_iterator(); entry.increment(error))
    if (entry->is_regular_file(error)) files.push_back(entry->path());
  if (error) return Error{path.string() + ": cannot be read: " + error.message()};
  std::ranges::sort(files);
  return files;
}

Result<bool> read_one(const std::filesystem::path& path, CollectedMeasurements& into) {
  const auto text = read_file(path);
  if (!text) return text.error();
  const MeasurementFile file{.path = path.string(),
                             .name = bare_name(path),
                             .folder = absolute(path).parent_path().filename().string(),
                             .text = *text};
  for (const MeasurementFormat& format : kFormats) {
    if (!format.knows(file)) continue;
    const auto done = format.read(file, into);
    if (!done) return done.error();
    return true;
  }
  return false;
}

std::string unknown(const std::filesystem::path& path) {
  std::string names;
  for (const MeasurementFormat& format : kFormats)
    names += (names.empty() ? "" : ", ") + std::string(format.name);
  return fmt::format("{}: is no file of measurements; known: {}", path.string(), names);
}

/// A file, or all files of a folder.
Result<Done> read_path(const std::filesystem::path& path, CollectedMeasurements& into,
                       std::vector<std::string>& notes) {
  const auto files = files_under(path);
  if (!files) return files.error();
  for (const std::filesystem::path& file : *files) {
    const auto known = read_one(file, into);
    if (!known) return known.error();
    if (!*known && file == path) return Error{unknown(file)};
    if (!*known) notes.push_back(file.string() + ": is no file of measurements, passed over");
  }
  return Done{};
}

}  // namespace

Result<Measurements> read_measurements(const std::vector<std::filesystem::path>& paths,
                                       std::vector<std::string>& notes) {
  CollectedMeasurements all;
  for (const std::filesystem::path& path : paths) {
    const auto done = read_path(path, all, notes);
    if (!done) return done.error();
  }
  auto noise = noise_tables(all.curves);
  if (!noise) return noise.error();
  all.measurements.noise = std::move(*noise);
  std::erase_if(all.measurements.speeds, [](const auto& table) { return table.points.empty(); });
  if (all.not_measured > 0)
    notes.push_back(fmt::format("{} cells say that nothing was measured", all.not_measured));
  const Measurements& m = all.measurements;
  if (m.speeds.empty() && m.clocks.empty() && m.limits.empty() && m.noise.empty() &&
      m.fronts.empty())
    return Error{paths.front().string() + ": holds no measurements"};
  return std::move(all.measurements);
}

}  // namespace penstock
