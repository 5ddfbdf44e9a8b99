#include "learn/net/windows.h"

#include "base/check.h"

namespace penstock {

void Windows::clear() {
  starts_.resize(1);
  items_.clear();
  globals_.clear();
  barred_.clear();
}

void Windows::add(const Window& window) {
  const std::size_t items = window.items.size() / item_features_;
  PENSTOCK_CHECK(items * item_features_ == window.items.size());
  PENSTOCK_CHECK(window.globals.size() == global_features_);
  PENSTOCK_CHECK(window.barred.empty() || window.barred.size() == items);
  items_.insert(items_.end(), window.items.begin(), window.items.end());
  globals_.insert(globals_.end(), window.globals.begin(), window.globals.end());
  barred_.insert(barred_.end(), window.barred.begin(), window.barred.end());
  barred_.resize(starts_.back() + items, 0);
  starts_.push_back(starts_.back() + static_cast<std::uint32_t>(items));
}

Window Windows::operator[](std::size_t window) const {
  const std::size_t first = starts_[window];
  const std::size_t items = count(window);
  return {.items = std::span(items_).subspan(first * item_features_, items * item_features_),
          .globals = std::span(globals_).subspan(window * global_features_, global_features_),
          .barred = std::span(barred_).subspan(first, items)};
}

}  // namespace penstock
