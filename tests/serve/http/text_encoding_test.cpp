#include "serve/http/text_encoding.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(PlainText, is_utf8_without_control_characters) {
  for (const char* text : {"", "plain",
                           "Gr\xC3\xB6\xC3\x9F"
                           "e",
                           "\xF0\x9F\x94\x8B"})
    EXPECT_TRUE(is_printable_utf8(text)) << text;
  for (const char* text : {"\x1b[2J", "a\nb", "\x7F", "\xC2\x9B", "\xFF", "\xC0\x80",
                           "\xED\xA0\x80", "\xE2\x82", "\xF5\x80\x80\x80", "\x80"})
    EXPECT_FALSE(is_printable_utf8(text)) << text;
}

TEST(PlainText, is_shown_without_what_could_harm_a_terminal) {
  EXPECT_EQ(terminal_safe("a\x1b[31mb\r\n"), "a?[31mb??");
  EXPECT_EQ(terminal_safe("\xC2\x9B"
                          "31m\xFFx\xE2\x80\xAEy\xC3\xB6"),
            "?31m?x?y\xC3\xB6");
}

TEST(UrlText, is_decoded_and_encoded) {
  EXPECT_EQ(decode_url("a%2Fb+c", true), "a/b c");
  EXPECT_EQ(decode_url("a+b", false), "a+b");
  for (const char* text : {"%", "%2", "%zz", "%00", "%0A", "%ff", "a\nb"})
    EXPECT_FALSE(decode_url(text, false)) << text;
  EXPECT_EQ(encode_url("a/b c%~\xC3\xB6"), "a%2Fb%20c%25~%C3%B6");
}

}  // namespace
}  // namespace penstock
