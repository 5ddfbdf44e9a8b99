#include "serve/page_policy.h"

namespace penstock {

std::string policy_of_page(std::string_view page) {
  constexpr std::string_view kBegin = "<meta http-equiv=\"Content-Security-Policy\" content=\"";
  const std::size_t begin = page.find(kBegin);
  if (begin == std::string_view::npos) return std::string(kPolicy);
  page.remove_prefix(begin + kBegin.size());
  return std::string(page.substr(0, page.find('"'))) + "; frame-ancestors 'none'";
}

}  // namespace penstock
