#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"

namespace penstock {

/// The regions of the world between which the speed of transfers is known: "US", "EU", "AP", "SA".
std::vector<std::string_view> all_regions();
bool is_region(std::string_view name);

/// Throughput and round trip between two regions, without a fee; nothing if they are unknown.
std::optional<Link> link_between(std::string_view from, std::string_view to);

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

/// Reads fees from text; `file` is only for messages.
Result<FeeMatrix> parse_fees(std::string_view text, const std::string& file);

}  // namespace penstock
