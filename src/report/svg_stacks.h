#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace penstock {

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
