#include "bridge/json_writer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace penstock::bridge {
namespace {

TEST(JsonWriter, commas_stand_where_they_belong) {
  JsonWriter out;
  out.open_object()
      .name("a")
      .number(1)
      .name("b")
      .open_list()
      .text("x")
      .open_object()
      .close_object()
      .close_list();
  out.name("c")
      .boolean(false)
      .name("d")
      .number(std::nullopt)
      .name("e")
      .texts({"p", "q"})
      .close_object();
  EXPECT_EQ(out.written(), R"({"a":1,"b":["x",{}],"c":false,"d":null,"e":["p","q"]})");
}

TEST(JsonWriter, no_text_is_null) {
  JsonWriter out;
  out.text(static_cast<const char*>(nullptr));
  EXPECT_EQ(out.written(), "null");
}

TEST(JsonWriter, any_bytes_become_text_that_can_be_read_again) {
  for (const std::string text :
       {"plain", "two\nlines", "\"quoted\\\"", "grün", "\x7f", "tab\t\a"}) {
    JsonWriter out;
    out.text(std::string_view(text));
    EXPECT_EQ(nlohmann::json::parse(out.written(), nullptr, false), nlohmann::json(text));
  }
  JsonWriter broken;
  broken.text(std::string_view("a\xff\xc3"));
  EXPECT_EQ(broken.written(), "\"a\xef\xbf\xbd\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace penstock::bridge
