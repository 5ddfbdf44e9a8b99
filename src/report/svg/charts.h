#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace penstock {

/// Points and lines of one colour. Positions are in the units of the axes.
struct SvgCurve {
  std::string label{};
  std::vector<std::pair<double, double>> line{};
  std::vector<std::pair<double, double>> dots{};
};

struct SvgPanel {
  std::string title{};
  std::string across{};     ///< what the horizontal axis shows
  bool log_across = false;  ///< by factors of two
  bool close_up = false;    ///< both axes just span the points: the vertical one not from 0
  bool name_dots = false;   ///< labels stand at the first dot of each curve, not in a list
  std::vector<SvgCurve> curves{};
};

/// The panels beside each other as one picture. The vertical axes begin at 0 but for close-ups.
std::string svg_picture(std::string_view title, const std::vector<SvgPanel>& panels);

/// What one method did on several occasions. All values are above 0.
struct SvgBox {
  std::string label{};
  std::vector<double> values{};
  bool ours = false;  ///< drawn in another colour
};

/// Five numbers of a sample; quartiles are interpolated between neighbours.
struct BoxNumbers {
  double least = 0, low = 0, middle = 0, high = 0, most = 0;
};

/// `values` must not be empty.
BoxNumbers box_numbers(std::vector<double> values);

/// A row for each box: whiskers to the least and the most, a box between the quartiles, a line at
/// the median, on an axis by factors of ten. Boxes without values are left out.
std::string svg_boxes(std::string_view title, std::string_view across,
                      const std::vector<SvgBox>& boxes);

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

/// A bar made of parts, one after the other.
struct SvgStack {
  std::string label{};
  std::vector<double> parts{};  ///< none below 0
};

struct SvgStackPanel {
  std::string title{};
  std::vector<SvgStack> stacks{};
};

/// Panels beside each other, with the same stacks in each, from above. Parts have the same colour
/// everywhere and are named once, below; each says how many percent of its bar it is, if there is
/// room. The longest bar of a panel fills its width, and all begin at 0.
std::string svg_stacks(std::string_view title, const std::vector<std::string>& parts,
                       const std::vector<SvgStackPanel>& panels);

}  // namespace penstock
