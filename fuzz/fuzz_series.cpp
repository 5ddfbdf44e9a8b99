// Any table is a series in order of time or has a message that says why not.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "io/signals/issued.h"
#include "io/signals/series.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace penstock;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  for (const GapRule gap : {GapRule::error, GapRule::hold, GapRule::interpolate}) {
    const auto series = parse_series(text, {.file = "fuzz.csv",
                                            .column = "v",
                                            .unit = "EUR/MWh",
                                            .gap = gap,
                                            .after_end = AfterEnd::repeat,
                                            .measure = Measure::price});
    if (series) PENSTOCK_CHECK(signal_of<Price>(*series).steps().size() > 1);  // or it stops
  }
  const auto issued = parse_issued(
      text, {.file = "fuzz.csv", .column = "v", .unit = "g/kWh", .measure = Measure::carbon});
  if (issued) PENSTOCK_CHECK(!issued_of<CarbonIntensity>(*issued).issues.empty());
  return 0;
}
