#include "page/gzip.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "io/text/file.h"

namespace penstock {
namespace {

/// As random as text is: some letters, many times.
std::string letters(std::size_t size) {
  Rng rng(1);
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += static_cast<char>('a' + rng.below(7));
  return text;
}

TEST(Gzip, unpacks_to_what_was_packed) {
  for (const std::size_t size : {0ul, 1ul, (1ul << 19) - 1, 1ul << 19, (1ul << 20) + 17}) {
    const std::string text = letters(size);
    const auto packed = gzip(text, 2);
    ASSERT_TRUE(packed);
    const auto unpacked = gunzip(*packed);
    ASSERT_TRUE(unpacked) << unpacked.error().message;
    EXPECT_EQ(*unpacked, text);
  }
}

TEST(Gzip, gives_the_same_bytes_however_many_threads_there_are) {
  const std::string text = letters(3 << 19);
  EXPECT_EQ(*gzip(text, 1), *gzip(text, 4));
}

TEST(Base64, is_that_of_the_standard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

}  // namespace

}  // namespace penstock
