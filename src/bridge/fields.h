#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace penstock::bridge {

/// Reads the members of one JSON object by name; collects every problem, and members that were
/// never read.
class Fields {
 public:
  explicit Fields(const nlohmann::json& object) : object_(object) {}

  /// Marks a member as known; it is read elsewhere.
  void pass(const std::string& name) { known_.insert(name); }
  std::optional<bool> boolean(const std::string& name);
  std::optional<std::int64_t> whole(const std::string& name, std::int64_t least, std::int64_t most);
  /// Text without a zero byte, which Slurm would take for its end.
  std::optional<std::string> text(const std::string& name, std::size_t longest = kLongestText);
  /// Letters, digits, '.', '_' and '-': cannot be taken for a list or a range.
  std::optional<std::string> word(const std::string& name);
  std::optional<std::vector<std::string>> words(const std::string& name);
  std::optional<std::map<std::string, std::string>> environment(const std::string& name);
  /// A job by number or as text: 12, "12", "12_3".
  std::optional<std::string> job(const std::string& name);

  std::string needed_job();
  std::string needed_text(const std::string& name, std::size_t longest = kLongestText);

  void add_problem(const std::string& name, const std::string& what) {
    problems_.push_back(name + ": " + what);
  }
  /// Every problem, unknown members included; empty if there is none.
  std::string problems();

  static constexpr std::size_t kLongestText = 65536;

 private:
  const nlohmann::json* find(const std::string& name);

  const nlohmann::json& object_;
  std::set<std::string> known_;
  std::vector<std::string> problems_;
};

/// Whether text is a word in the sense of Fields::word.
bool is_word(std::string_view text);

/// Whether it begins with a digit, has at most one '_' and after it a number: "12", "12_3".
bool is_job_name(std::string_view text);

}  // namespace penstock::bridge
