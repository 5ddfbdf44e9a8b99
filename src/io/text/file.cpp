#include "io/text/file.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>

namespace penstock {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};

Error too_large(std::uint64_t largest) {
  return {"is larger than " + std::to_string(largest) + " bytes, the most that is read"};
}

Result<std::string> read_all(std::FILE* file, std::uint64_t expected, std::uint64_t largest) {
  std::string text;
  text.resize(static_cast<std::size_t>(expected) + 1);  // one more, to see the end at once
  std::size_t size = 0;
  while (true) {
    size += std::fread(text.data() + size, 1, text.size() - size, file);
    if (size < text.size()) break;
    if (size > largest) return too_large(largest);
    text.resize(size * 2);
  }
  if (std::ferror(file) != 0) return Error{std::string("cannot be read: ") + std::strerror(errno)};
  text.resize(size);
  return text;
}

Result<std::string> read_plain(const std::filesystem::path& path, std::uint64_t largest) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return Error{"no such file"};
  if (std::filesystem::is_directory(status)) return Error{"is a directory, not a file"};
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file) return Error{std::string("cannot be opened: ") + std::strerror(errno)};
  auto expected = std::filesystem::file_size(path, error);
  if (error) expected = 0;  // a pipe; it is read until it ends
  if (expected > largest) return too_large(largest);
  return read_all(file.get(), expected, largest);
}

/// zlib's unpacker, closed however we leave.
class Inflater {
 public:
  Inflater() {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    usable_ = inflateInit2(&stream_, kGzipOnly) == Z_OK;
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  bool is_usable() const { return usable_; }
  void feed(std::string_view packed) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());
  }
  std::size_t unread() const { return stream_.avail_in; }
  int unpack(std::string& out) {
    std::array<char, 1 << 16> block{};
    stream_.next_out = reinterpret_cast<Bytef*>(block.data());
    stream_.avail_out = block.size();
    const int status = inflate(&stream_, Z_NO_FLUSH);
    out.append(block.data(), block.size() - stream_.avail_out);
    return status;
  }
  void restart() { inflateReset(&stream_); }

 private:
  z_stream stream_{};
  bool usable_ = false;
};

Error gzip_error(int status) {
  if (status == Z_BUF_ERROR) return {"is cut short: its gzip data has no end"};
  return {"is corrupt: not valid gzip data"};
}

/// False, with errno set, unless all is on the disk.
bool write_whole(const std::filesystem::path& path, std::string_view bytes) {
  std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "wb"));
  if (!file) return false;
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size() &&
                       std::fflush(file.get()) == 0 && fsync(fileno(file.get())) == 0;
  if (!written) return false;
  return std::fclose(file.release()) == 0;
}

}  // namespace

Result<Done> replace_file(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::path beside = path;
  beside += ".new";
  const bool replaced =
      write_whole(beside, bytes) && std::rename(beside.c_str(), path.c_str()) == 0;
  if (replaced) return Done{};
  const int reason = errno;
  std::error_code ignored;
  std::filesystem::remove(beside, ignored);
  return Error{path.string() + ": cannot be written: " + std::strerror(reason)};
}

bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

Result<std::string> gunzip(std::string_view packed, std::uint64_t largest) {
  constexpr std::size_t kMostAtOnce = std::numeric_limits<uInt>::max();
  Inflater inflater;
  if (!inflater.is_usable()) return Error{"cannot start zlib"};
  std::string out;
  out.reserve(std::min<std::uint64_t>(packed.size() * 4, largest));
  while (true) {
    const auto part = packed.substr(0, kMostAtOnce);
    inflater.feed(part);
    const int status = inflater.unpack(out);
    packed.remove_prefix(part.size() - inflater.unread());
    if (out.size() > largest) return too_large(largest);
    if (status == Z_OK) continue;
    if (status != Z_STREAM_END) return gzip_error(status);
    if (packed.empty()) return out;
    if (!is_gzip(packed)) return Error{"has bytes behind its gzip end"};
    inflater.restart();
  }
}

Result<std::string> read_file(const std::filesystem::path& path, std::uint64_t largest) {
  auto bytes = read_plain(path, largest);
  if (!bytes) return std::move(bytes).error().in(path.string());
  if (!is_gzip(*bytes)) return bytes;
  auto text = gunzip(*bytes, largest);
  if (!text) return std::move(text).error().in(path.string());
  return text;
}

}  // namespace penstock
