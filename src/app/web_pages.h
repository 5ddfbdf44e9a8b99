#pragma once

#include <string_view>

namespace penstock {

/// The pages that web/ was built into, each one self-contained file; empty in a program that was
/// built without them.
std::string_view report_template();
std::string_view dashboard_page();

}  // namespace penstock
