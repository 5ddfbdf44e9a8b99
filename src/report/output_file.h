#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"

namespace penstock {

/// "cannot write to PATH: REASON", where the reason is an errno value.
Error cannot_write(const std::filesystem::path& path, int reason);

/// A text file written in large pieces. Callers append to text() and call spill()
/// now and then; the first failure is kept and told by close().
class OutputFile {
 public:
  static Result<OutputFile> create(const std::filesystem::path& path) { return create(path, path); }
  /// Errors name the file `known_as`: the user never chose a temporary name.
  static Result<OutputFile> create(const std::filesystem::path& path,
                                   const std::filesystem::path& known_as);

  std::string& text() { return text_; }
  /// Hands the text on to the system once there is enough of it.
  void spill() {
    if (text_.size() >= kEnough) write_out();
  }
  /// Must be the last call. An unclosed file may lack its end.
  Result<Done> close();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using Handle = std::unique_ptr<std::FILE, Close>;
  static constexpr std::size_t kEnough = 1 << 16;

  OutputFile(std::filesystem::path known_as, Handle file);
  void write_out();

  std::filesystem::path known_as_;
  Handle file_;
  std::string text_;
  int failure_ = 0;  ///< errno of the first failed write
};

}  // namespace penstock
