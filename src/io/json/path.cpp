#include "io/json/path.h"

#include "io/text/number.h"

namespace penstock {

std::string json_path(std::string_view outer, std::string_view key) {
  std::string path(outer);
  if (!path.empty()) path += '.';
  const std::string quoted = in_quotes(key);
  if (key.empty()) return path + quoted;
  return path.append(quoted, 1, quoted.size() - 2);
}

}  // namespace penstock
