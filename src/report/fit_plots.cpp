#include "report/fit_plots.h"

namespace penstock {

std::string fit_plot(const Profile& profile, const Measurements&) {
  return profile.name;
}

}  // namespace penstock
