#include "report/output_file.h"

#include <cerrno>
#include <system_error>
#include <utility>

namespace penstock {

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

}  // namespace penstock
