#include "report/files/output_file.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace penstock {

// Files

Error cannot_write(const std::filesystem::path& path, int reason) {
  return {"cannot write to " + path.string() + ": " + std::generic_category().message(reason)};
}

Result<OutputFile> OutputFile::create(const std::filesystem::path& path,
                                      const std::filesystem::path& known_as) {
  Handle file(std::fopen(path.c_str(), "wb"));
  if (!file) return cannot_write(known_as, errno);
  std::setvbuf(file.get(), nullptr, _IONBF, 0);  // text_ is the only buffer
  return OutputFile(known_as, std::move(file));
}

OutputFile::OutputFile(std::filesystem::path known_as, Handle file)
    : known_as_(std::move(known_as)), file_(std::move(file)) {
  text_.reserve(kEnough + kEnough / 8);
}

void OutputFile::write_out() {
  const bool whole = std::fwrite(text_.data(), 1, text_.size(), file_.get()) == text_.size();
  if (!whole && failure_ == 0) failure_ = errno;
  text_.clear();
}

Result<Done> OutputFile::close() {
  write_out();
  if (std::fclose(file_.release()) != 0 && failure_ == 0) failure_ = errno;
  if (failure_ != 0) return cannot_write(known_as_, failure_);
  return Done{};
}

// Results that appear as a whole

namespace {

namespace fs = std::filesystem;

/// The whole path without dots, links and a slash at the end, so that a name can be put
/// beside it.
fs::path plain(const fs::path& path) {
  std::error_code ignored;
  fs::path whole = fs::weakly_canonical(fs::absolute(path, ignored), ignored);
  if (whole.empty()) whole = path;
  return whole.has_filename() ? whole : whole.parent_path();
}

fs::path beside(const fs::path& path, const char* what) {
  return path.string() + "." + what + "-" + std::to_string(::getpid());
}

bool is_ours(const fs::path& name) {
  static constexpr std::array<std::string_view, 7> kNames{
      "summary.json", "jobs.csv",        "stretches.csv", "timeline.csv",
      "reasons.csv",  "decisions.jsonl", "report.html"};
  return std::ranges::find(kNames, name.string()) != kNames.end();
}

/// Something in a directory of results, or in one of its runs, that we did not write.
std::optional<fs::path> foreign_entry(const fs::path& dir) {
  std::error_code failure;
  for (fs::recursive_directory_iterator at(dir, failure), end; !failure && at != end;
       at.increment(failure)) {
    const bool run = at.depth() == 0 && at->is_directory(failure) && !at->is_symlink(failure);
    if (!run && !is_ours(at->path().filename())) return at->path().lexically_relative(dir);
  }
  return std::nullopt;
}

/// Whether `dir` may be (re)placed by a result.
Result<Done> replaceable(const fs::path& dir) {
  std::error_code failure;
  const fs::file_status status = fs::status(dir, failure);
  if (status.type() == fs::file_type::not_found) return Done{};
  if (failure) return cannot_write(dir, failure.value());
  if (!fs::is_directory(status))
    return Error{"cannot write to " + dir.string() + ": it is there and not a directory"};
  const bool empty = fs::is_empty(dir, failure);
  if (failure) return cannot_write(dir, failure.value());
  if (empty) return Done{};
  if (fs::exists(dir / "summary.json", failure)) {
    const auto foreign = foreign_entry(dir);
    if (!foreign) return Done{};
    return Error{
        "cannot write to " + dir.string() + ": it holds '" + foreign->string() +
        "' beside earlier results, which would be lost; move it or name another directory"};
  }
  return Error{"cannot write to " + dir.string() +
               ": it is not empty and holds no summary.json, so it is not ours to replace; "
               "name a new directory, an empty one or one with earlier results"};
}

}  // namespace

TemporaryPath::~TemporaryPath() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<OutputDir> OutputDir::create(const fs::path& given) {
  if (given.empty()) return Error{"cannot write to '': a directory needs a name"};
  fs::path dir = plain(given);
  if (auto ours = replaceable(dir); !ours) return std::move(ours).error();

  std::error_code failure;
  fs::create_directories(dir.parent_path(), failure);
  if (failure) return cannot_write(dir, failure.value());
  TemporaryPath partial(beside(dir, "partial"));
  fs::remove_all(partial.path(), failure);  // of a dead process that had our number
  failure.clear();
  fs::create_directory(partial.path(), failure);
  if (failure) return cannot_write(dir, failure.value());
  return OutputDir(std::move(dir), std::move(partial));
}

Result<Done> OutputDir::commit() {
  if (auto ours = replaceable(dir_); !ours) return ours;
  std::error_code failure;
  TemporaryPath earlier(beside(dir_, "earlier"));
  const bool replaces = fs::exists(dir_, failure);
  if (replaces) fs::rename(dir_, earlier.path(), failure);
  if (failure) return cannot_write(dir_, failure.value());
  fs::rename(partial_.path(), dir_, failure);
  if (failure) {
    std::error_code ignored;
    if (replaces) fs::rename(earlier.path(), dir_, ignored);
    earlier.keep();
    return cannot_write(dir_, failure.value());
  }
  partial_.keep();
  return Done{};
}

Result<AtomicFile> AtomicFile::create(const fs::path& given) {
  const fs::path path = plain(given);
  std::error_code failure;
  const fs::file_type type = fs::status(path, failure).type();
  const bool direct = fs::exists(fs::file_status(type)) && type != fs::file_type::regular;
  std::optional<TemporaryPath> partial;
  if (!direct) partial.emplace(beside(path, "partial"));
  auto file = OutputFile::create(direct ? path : partial->path(), path);
  if (!file) return std::move(file).error();
  return AtomicFile(path, *std::move(file), std::move(partial));
}

Result<Done> AtomicFile::commit() {
  if (auto closed = file_.close(); !closed) return closed;
  if (!partial_) return Done{};
  std::error_code failure;
  fs::rename(partial_->path(), path_, failure);
  if (failure) return cannot_write(path_, failure.value());
  partial_->keep();
  return Done{};
}

Result<Done> write_file(const fs::path& path, std::string_view text) {
  auto file = AtomicFile::create(path);
  if (!file) return std::move(file).error();
  file->text() += text;
  return file->commit();
}

}  // namespace penstock
