#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace penstock {

/// A number for each cell of a grid; the larger, the darker.
struct SvgHeat {
  std::string title{};                        ///< what is shown, with its unit
  std::vector<std::string> rows{};            ///< their names, from above
  std::vector<std::vector<double>> values{};  ///< for each row, all of the same length
  int decimals = 0;                           ///< of the numbers in the cells
  std::optional<double> lightest{};           ///< the least value if absent
  std::optional<double> darkest{};            ///< the largest if absent
};

/// The grids one below the other, their columns in line and numbered from 0. A cell that is not a
/// number stays empty.
std::string svg_heat_maps(std::string_view title, std::string_view across,
                          const std::vector<SvgHeat>& maps);

}  // namespace penstock
