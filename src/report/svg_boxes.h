#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace penstock {

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

}  // namespace penstock
