#include "page/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <vector>

#include "base/in_parallel.h"

namespace penstock {
namespace {

/// Large enough that the start of each costs little, small enough to share the work.
constexpr std::size_t kPiece = 1 << 19;
constexpr int kLevel = 6;

struct Piece {
  std::string packed{};
  uLong checksum = 0;
  bool fine = false;
};

/// Raw deflate data that more may follow, or that ends the stream.
Piece pack(std::string_view bytes, bool last) {
  Piece piece;
  z_stream stream{};
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    return piece;
  constexpr std::size_t kFlushMark = 16;
  piece.packed.resize(deflateBound(&stream, static_cast<uLong>(bytes.size())) + kFlushMark);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(piece.packed.data());
  stream.avail_out = static_cast<uInt>(piece.packed.size());
  const int status = deflate(&stream, last ? Z_FINISH : Z_SYNC_FLUSH);
  piece.fine = status == (last ? Z_STREAM_END : Z_OK) && stream.avail_in == 0;
  piece.packed.resize(stream.total_out);
  deflateEnd(&stream);
  piece.checksum =
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
  return piece;
}

void append_word(std::string& out, std::uint64_t word) {
  for (int i = 0; i < 4; ++i) out += static_cast<char>(word >> (8 * i) & 0xff);
}

std::vector<Piece> pack_all(std::string_view bytes, unsigned threads) {
  std::vector<Piece> pieces(std::max<std::size_t>(1, (bytes.size() + kPiece - 1) / kPiece));
  in_parallel(pieces.size(), threads, [&](std::size_t i) {
    pieces[i] = pack(bytes.substr(i * kPiece, kPiece), i + 1 == pieces.size());
  });
  return pieces;
}

}  // namespace

Result<std::string> gzip(std::string_view bytes, unsigned threads) {
  const std::vector<Piece> pieces = pack_all(bytes, threads);
  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  uLong checksum = crc32(0, nullptr, 0);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (!pieces[i].fine) return Error{"zlib could not pack the data"};
    out += pieces[i].packed;
    const std::size_t size = std::min(kPiece, bytes.size() - i * kPiece);
    checksum = crc32_combine(checksum, pieces[i].checksum, static_cast<z_off_t>(size));
  }
  append_word(out, checksum);
  append_word(out, bytes.size() & 0xffffffff);
  return out;
}

std::string base64(std::string_view bytes) {
  static constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 3; ++j)
      three = three << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    for (int shift = 18; shift >= 0; shift -= 6) out += kLetters[three >> shift & 63];
  }
  if (bytes.size() % 3 == 1) out.replace(out.size() - 2, 2, "==");
  if (bytes.size() % 3 == 2) out.back() = '=';
  return out;
}

}  // namespace penstock
