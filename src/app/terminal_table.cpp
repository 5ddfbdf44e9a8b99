#include "app/terminal_table.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace penstock {
namespace {

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 132;
}

}  // namespace

TableStyle stdout_style(const std::string& currency) {
  return {.colour = isatty(STDOUT_FILENO) != 0,
          .width = std::max<std::size_t>(terminal_width(), 80),
          .currency = currency};
}

}  // namespace penstock
