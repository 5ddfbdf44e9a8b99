#include "io/scenario/overrides.h"

#include <gtest/gtest.h>

#include <sstream>

namespace penstock {
namespace {

/// A scenario after one override, or the error.
std::string after(std::string_view text, std::string_view override) {
  auto table = toml::parse(text);
  const auto done = apply_override(table, override);
  if (!done) return done.error().message;
  std::ostringstream out;
  out << table;
  return out.str();
}

TEST(Overrides, replace_or_add_a_value) {
  EXPECT_EQ(after("seed = 1", "seed=2"), "seed = 2");
  EXPECT_EQ(after("", "workload.limit = 5"), "[workload]\nlimit = 5");
}

TEST(Overrides, words_need_no_quotes) {
  EXPECT_EQ(after("", "name=easy"), "name = 'easy'");
  EXPECT_EQ(after("", "name=\"easy\""), "name = 'easy'");
  EXPECT_EQ(after("", "name=20 kWh/h"), "name = '20 kWh/h'");
  EXPECT_EQ(after("", "name="), "name = ''");
  EXPECT_EQ(after("", "strict=true"), "strict = true");
}

TEST(Overrides, reach_into_lists_of_tables_by_number_name_or_all) {
  const char* two = "site = [ { name = 'a' }, { name = 'b' } ]";
  EXPECT_EQ(after(two, "site.1.pue=2"), "site = [ { name = 'a' }, { name = 'b', pue = 2 } ]");
  EXPECT_EQ(after(two, "site.a.pue=2"), "site = [ { name = 'a', pue = 2 }, { name = 'b' } ]");
  EXPECT_EQ(after(two, "site.pue=2"),
            "site = [ { name = 'a', pue = 2 }, { name = 'b', pue = 2 } ]");
}

TEST(Overrides, that_make_no_sense_are_refused) {
  EXPECT_EQ(after("", "seed"), "--set seed: has no '='; write key.path=value");
  EXPECT_EQ(after("", ".a=1"), "--set .a=1: the key is not a path such as policy.name");
  EXPECT_EQ(after("seed = 1", "seed.x=1"), "--set seed.x=1: 'seed' is not a table");
  EXPECT_EQ(after("site = [ { name = 'a' } ]", "site.a=1"),
            "--set site.a=1: names a table, not a key");
}

}  // namespace
}  // namespace penstock
