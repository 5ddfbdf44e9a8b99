#include "app/web_pages.h"

// The assembler puts the files into the program as they are. CMakeLists.txt says where they are.
asm(".section .rodata\n"
    "kPenstockReport: .incbin \"" PENSTOCK_WEB_PAGES
    "/report.html\"\n"
    "kPenstockReportEnd: .byte 0\n"
    "kPenstockDashboard: .incbin \"" PENSTOCK_WEB_PAGES
    "/dashboard.html\"\n"
    "kPenstockDashboardEnd: .byte 0\n"
    ".previous\n");

// NOLINTBEGIN(modernize-avoid-c-arrays): what the assembler knows
extern "C" {
extern const char kPenstockReport[];
extern const char kPenstockReportEnd[];
extern const char kPenstockDashboard[];
extern const char kPenstockDashboardEnd[];
}
// NOLINTEND(modernize-avoid-c-arrays)

namespace penstock {
namespace {

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

std::string_view report_template() {
  return between(kPenstockReport, kPenstockReportEnd);
}

std::string_view dashboard_page() {
  return between(kPenstockDashboard, kPenstockDashboardEnd);
}

}  // namespace penstock
