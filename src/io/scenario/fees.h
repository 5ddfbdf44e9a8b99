#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace penstock {

/// What a gigabyte costs from one region of a cloud to another, as a file lists it.
struct FeeMatrix {
  std::vector<std::string> regions{};  ///< in the order of the columns
  std::map<std::pair<std::string, std::string>, double> fees{};

  const double* find(const std::string& from, const std::string& to) const {
    const auto found = fees.find({from, to});
    return found == fees.end() ? nullptr : &found->second;
  }
};

/// A head of regions, then a row for each region that sends; `.gz` too.
Result<FeeMatrix> read_fees(const std::filesystem::path& path);

/// The same from text; `file` is only for messages.
Result<FeeMatrix> parse_fees(std::string_view text, const std::string& file);

}  // namespace penstock
