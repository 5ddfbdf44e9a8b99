#pragma once

#include <toml++/toml.h>

#include <optional>
#include <string>
#include <vector>

namespace penstock {

/// Which GPU types a configuration may name: those of the catalogue, and those it describes itself.
class GpuNames {
 public:
  /// `root` is the whole file.
  explicit GpuNames(const toml::table& root);

  /// As a type is looked for that Slurm or the operator calls so.
  static std::string plain(std::string name);
  /// Nothing if there is such a type, else the message.
  std::optional<std::string> lack(const std::string& name) const;

 private:
  std::vector<std::string> names_;
};

}  // namespace penstock
