#include "io/text/file.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

namespace penstock {
namespace {

std::string gzip(const std::string& text) {
  std::string packed(text.size() + 256, '\0');
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::filesystem::path written(const std::string& name, const std::string& bytes) {
  const auto path = std::filesystem::path(testing::TempDir()) / ("penstock_file_test_" + name);
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

TEST(ReadFile, reads_plain_and_packed_files_alike) {
  const std::string text(100'000, 'x');
  EXPECT_EQ(*read_file(written("plain", text)), text);
  EXPECT_EQ(*read_file(written("packed.gz", gzip(text))), text);
  EXPECT_EQ(*read_file(written("two.gz", gzip("ab") + gzip("cd"))), "abcd");
  EXPECT_EQ(*read_file(written("empty", "")), "");
}

TEST(ReadFile, says_that_a_file_is_missing_or_a_directory) {
  EXPECT_EQ(read_file("no/such.csv").error().message, "no/such.csv: no such file");
  EXPECT_EQ(read_file(PENSTOCK_TEST_DIR).error().message,
            PENSTOCK_TEST_DIR ": is a directory, not a file");
}

TEST(ReadFile, says_that_gzip_data_is_damaged) {
  const auto good = gzip(std::string(1000, 'x') + "yz");
  EXPECT_EQ(gunzip(good.substr(0, good.size() - 9)).error().message,
            "is cut short: its gzip data has no end");
  auto bad = good;
  bad[bad.size() - 6] ^= 0x55;
  EXPECT_EQ(gunzip(bad).error().message, "is corrupt: not valid gzip data");
  EXPECT_EQ(gunzip(good + "tail").error().message, "has bytes behind its gzip end");
}

TEST(ReadFile, refuses_what_is_absurdly_large) {
  const auto path = written("large", std::string(11, 'x'));
  EXPECT_EQ(read_file(path, 10).error().message,
            path.string() + ": is larger than 10 bytes, the most that is read");
  EXPECT_EQ(gunzip(gzip(std::string(1000, 'x')), 10).error().message,
            "is larger than 10 bytes, the most that is read");
}

TEST(ReplaceFile, puts_new_bytes_in_place_of_old_ones) {
  const auto path = written("replaced", "old and longer");
  ASSERT_TRUE(replace_file(path, std::string("new\0", 4)));
  EXPECT_EQ(*read_file(path), std::string("new\0", 4));
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".new"));
}

TEST(ReplaceFile, says_where_it_cannot_write) {
  const auto path = std::filesystem::path(testing::TempDir()) / "no-such-folder" / "file";
  EXPECT_EQ(replace_file(path, "x").error().message,
            path.string() + ": cannot be written: No such file or directory");
  const auto folder = std::filesystem::path(testing::TempDir()) / "penstock_file_test_folder";
  std::filesystem::create_directories(folder);
  EXPECT_FALSE(replace_file(folder, "x"));
  EXPECT_FALSE(std::filesystem::exists(folder.string() + ".new"));
}

}  // namespace
}  // namespace penstock
