#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/text/csv.h"
#include "model/measurements.h"

namespace penstock {

/// A file of measurements. Its path provides what its columns do not.
struct MeasurementFile {
  std::string path{};    ///< as messages call it
  std::string name{};    ///< without folders, ".csv" and ".gz"
  std::string folder{};  ///< the folder it lies in, without those above
  std::string_view text{};
};

/// How far a training with one batch size was after some iterations.
struct ProgressCurve {
  std::string model{};
  std::string file{};
  double batch = 1;
  std::vector<std::pair<double, double>> points{};  ///< progress and iteration, both rising
};

/// What has been read so far.
struct CollectedMeasurements {
  Measurements measurements{};
  std::vector<ProgressCurve> curves{};
  std::size_t not_measured = 0;  ///< cells without a measurement
};

/// The range of plausible measurements.
struct ValueRange {
  double least = 0;
  double most = 0;
};
inline constexpr ValueRange kSeconds{1e-7, 1e7};
inline constexpr ValueRange kRate{1e-7, 1e7};
inline constexpr ValueRange kWatts{0.1, 1e5};
inline constexpr ValueRange kBatch{1, 1e9};

/// "file:line: column: what".
Error cell_error(const CsvTable& table, std::size_t column, std::string_view what);
/// A cell that must hold a believable number.
Result<double> cell_number(const CsvTable& table, std::size_t column, ValueRange range);
/// A cell that may hold a believable number; a blank or 0 says that nothing was measured.
Result<std::optional<double>> cell_measured(const CsvTable& table, std::size_t column,
                                            ValueRange range);

/// One reader: whether it knows a head, and how it reads.
struct MeasurementFormat {
  std::string_view name;
  bool (*knows)(const MeasurementFile& file);
  Result<Done> (*read)(const MeasurementFile& file, CollectedMeasurements& into);
};

bool knows_elasticflow(const MeasurementFile& file);
Result<Done> read_elasticflow(const MeasurementFile& file, CollectedMeasurements& into);
bool knows_pollux_times(const MeasurementFile& file);
Result<Done> read_pollux_times(const MeasurementFile& file, CollectedMeasurements& into);
bool knows_pollux_validation(const MeasurementFile& file);
Result<Done> read_pollux_validation(const MeasurementFile& file, CollectedMeasurements& into);
bool knows_gavel(const MeasurementFile& file);
Result<Done> read_gavel(const MeasurementFile& file, CollectedMeasurements& into);
bool knows_zeus(const MeasurementFile& file);
Result<Done> read_zeus(const MeasurementFile& file, CollectedMeasurements& into);
bool knows_perseus(const MeasurementFile& file);
Result<Done> read_perseus(const MeasurementFile& file, CollectedMeasurements& into);

bool knows_perseus_front(const MeasurementFile& file);
Result<Done> read_perseus_front(const MeasurementFile& file, CollectedMeasurements& into);

/// The text's first line begins so.
bool head_is(const MeasurementFile& file, std::string_view head);
/// The table of one model by one source, made if there is none yet.
SpeedTable& speed_table(CollectedMeasurements& into, const std::string& model,
                        const std::string& gpu, const std::string& source);
/// Joins the progress curves of each model: what each batch needs to get as far as all got.
Result<std::vector<NoiseTable>> noise_tables(const std::vector<ProgressCurve>& curves);

}  // namespace penstock
