#include "app/weights_origin.h"

#include <fmt/format.h>

#include <set>

#include "io/text/file.h"
#include "learn/net/net_texts.h"

namespace penstock {

std::vector<std::string> foreign_weights(const std::vector<PolicyChoice>& choices,
                                         const std::string& scenario) {
  std::set<std::string> files;
  for (const PolicyChoice& choice : choices)
    if (const auto found = choice.options.find("weights"); found != choice.options.end())
      files.insert(found->second);
  std::vector<std::string> lines;
  for (const std::string& file : files) {
    const auto bytes = read_file(file);
    const auto weights = bytes ? decode_weights(*bytes) : Result<Weights>(bytes.error());
    if (!weights) continue;
    const auto trained_on = stored_text(*weights, kAboutPrefix + std::string("scenario"));
    if (!trained_on || *trained_on == scenario) continue;
    lines.push_back(
        fmt::format("{}: trained on the scenario '{}', not on '{}'", file, *trained_on, scenario));
  }
  return lines;
}

}  // namespace penstock
