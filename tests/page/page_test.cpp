#include "page/page.h"

#include <gtest/gtest.h>

#include <array>

#include "report/files/summary_json.h"

namespace penstock {
namespace {

TEST(Page, has_its_data_where_the_template_marks_it) {
  EXPECT_EQ(*fill_template("<a>PENSTOCK_DATA</a>", "xyz"), "<a>xyz</a>");
  const auto page = fill_template("<a></a>", "xyz");
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().message,
            "the page that this program was built with has not one PENSTOCK_DATA");
}

TEST(Page, is_made_of_a_summary_alone) {
  const std::vector<RunSummary> runs{{.policy = "fifo"}, {.policy = "sjf"}};
  const std::array<PageSource, 1> sources{
      PageSource{.shown = "results", .summary = summary_json({.version = "0.1.0"}, runs)}};
  EXPECT_EQ(count_runs(sources), 2u);
  std::atomic<std::uint64_t> read = 0;
  const auto one = page_data({.sources = sources, .version = "0.1.0", .runs_read = &read});
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_EQ(read, 2u);
  EXPECT_TRUE(one->starts_with("H4sI")) << "gzip as base64";
  EXPECT_EQ(*one, *page_data({.sources = sources, .version = "0.1.0", .threads = 1}));
}

TEST(PageSource, says_what_a_folder_lacks) {
  const auto nowhere = open_source("nowhere", "nowhere");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().message, "nowhere: no such folder");
  const auto empty = open_source(PENSTOCK_ROOT "/docs", "docs");
  ASSERT_FALSE(empty);
  EXPECT_TRUE(empty.error().message.starts_with("docs: holds no summary.json"));
}

}  // namespace
}  // namespace penstock
