#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace penstock {

/// "cannot write to PATH: REASON", where the reason is an errno value.
Error cannot_write(const std::filesystem::path& path, int reason);

/// A text file written in large pieces. Callers append to text() and call flush_if_full() now and
/// then; close() returns the first failure.
class OutputFile {
 public:
  static Result<OutputFile> create(const std::filesystem::path& path) { return create(path, path); }
  /// Errors name the file `known_as`: the user never chose a temporary name.
  static Result<OutputFile> create(const std::filesystem::path& path,
                                   const std::filesystem::path& known_as);

  std::string& text() { return text_; }
  /// Hands the text on to the system once there is enough of it.
  void flush_if_full() {
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

/// A path that is removed, with all below it, unless keep() was called.
class TemporaryPath {
 public:
  explicit TemporaryPath(std::filesystem::path path) : path_(std::move(path)) {}
  TemporaryPath(TemporaryPath&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryPath& operator=(TemporaryPath&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~TemporaryPath();

  const std::filesystem::path& path() const { return path_; }
  void keep() { path_.clear(); }

 private:
  std::filesystem::path path_;
};

/// Results that appear all at once or not at all. Files are written into path(),
/// `DIR.partial-<pid>` beside DIR; commit() gives it the name DIR. Without commit() everything
/// written is removed.
class OutputDir {
 public:
  /// Refuses a DIR that is there and neither empty nor an earlier result of ours,
  /// which is one that holds a summary.json.
  static Result<OutputDir> create(const std::filesystem::path& dir);

  const std::filesystem::path& path() const { return partial_.path(); }
  /// An earlier result is replaced as a whole.
  Result<Done> commit();

 private:
  OutputDir(std::filesystem::path dir, TemporaryPath partial)
      : dir_(std::move(dir)), partial_(std::move(partial)) {}

  std::filesystem::path dir_;
  TemporaryPath partial_;
};

/// One file that appears whole or not at all. A device or pipe is written to
/// directly: it cannot be replaced.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::filesystem::path& path);

  std::string& text() { return file_.text(); }
  void flush_if_full() { file_.flush_if_full(); }
  Result<Done> commit();

 private:
  AtomicFile(std::filesystem::path path, OutputFile file, std::optional<TemporaryPath> partial)
      : path_(std::move(path)), file_(std::move(file)), partial_(std::move(partial)) {}

  std::filesystem::path path_;
  OutputFile file_;
  std::optional<TemporaryPath> partial_;  ///< absent when written directly
};

/// Writes a whole file by way of AtomicFile.
Result<Done> write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace penstock
