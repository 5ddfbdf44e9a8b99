#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace penstock {

/// Everything that is wrong with one JSON document, a line each: "file: path: what".
class JsonProblems {
 public:
  explicit JsonProblems(std::string file) : file_(std::move(file)) {}

  /// An empty path is the document as a whole.
  void add(std::string_view path, std::string_view what);

  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  /// The first hundred, and how many more there are.
  Error as_error() const;

 private:
  std::string file_;
  std::string text_;
  std::size_t count_ = 0;
};

}  // namespace penstock
