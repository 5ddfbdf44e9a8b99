#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "model/trace.h"

namespace penstock {

/// The seconds in the units that traces count in.
inline constexpr double kSecond = 1;
inline constexpr double kMinute = 60;
inline constexpr double kHour = 3600;

/// What is wrong with a row.
struct Fault {
  std::string field{};
  std::string reason{};  ///< the same for all rows that are wrong in this way
  std::string what{};    ///< what is wrong with this one
};

/// One row of a trace on its way to becoming a job. It keeps the first fault that
/// is found; what is read after that is not used.
class Row {
 public:
  /// Fills `job`. `place` is the line, or the index in the JSON list `list`.
  Row(TracedJob& job_to_fill, std::uint64_t place, std::string_view list = {})
      : job(job_to_fill), place_(place), list_(list) {}

  TracedJob& job;

  void fail(std::string_view field, std::string_view reason, std::string what);
  /// This row is no GPU job, by its own account.
  void leave_out(std::string_view reason);

  double number(std::string_view field, std::string_view text);
  /// A positive length of time.
  Duration duration(std::string_view field, double value, double unit);
  Duration duration(std::string_view field, std::string_view text, double unit) {
    return duration(field, number(field, text), unit);
  }
  /// An instant, given as its distance from t = 0.
  Time offset(std::string_view field, double value, double unit);
  Time offset(std::string_view field, std::string_view text, double unit) {
    return offset(field, number(field, text), unit);
  }
  /// An instant, given as a date.
  Time date(std::string_view field, std::string_view text);
  /// A positive whole number of devices.
  std::uint32_t gpus(std::string_view field, double value);
  std::uint32_t gpus(std::string_view field, std::string_view text) {
    return gpus(field, number(field, text));
  }
  /// A deadline, which must not lie before the submission.
  Time deadline(std::string_view field, Time when);

  bool is_good() const { return !fault_ && left_out_.empty(); }
  const std::optional<Fault>& fault() const { return fault_; }
  const std::string& left_out() const { return left_out_; }
  /// "file:12", or "file:jobs[3]".
  std::string where(const std::string& file) const;

 private:
  std::uint64_t place_;
  std::string_view list_;
  std::optional<Fault> fault_;
  std::string left_out_;
};

}  // namespace penstock
