#pragma once

#include <string>

#include "fit/catalogue_fit.h"

namespace penstock {

/// What was fitted, how well, and where the least energy is, as tables for people.
std::string fit_text(const FittedCatalogue& catalogue);

}  // namespace penstock
