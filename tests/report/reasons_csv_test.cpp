#include "report/reasons_csv.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <sstream>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

TEST(ReasonsCsv, writes_a_reason_only_when_it_changes) {
  const auto path = std::filesystem::path(testing::TempDir()) / "penstock-reasons.csv";
  auto file = OutputFile::create(path);
  ASSERT_TRUE(file);
  const Time t0{};
  ReasonsCsv csv(*std::move(file), t0);
  csv.say(t0, "");
  csv.say(t0 + 1s, "sjf looks best");
  csv.say(t0 + 2s, "sjf looks best");
  csv.say(t0 + 3s, "");
  csv.say(t0 + 4s, "sjf looks best");
  csv.say(t0 + 5s, "f1, by 3 %");
  ASSERT_TRUE(csv.close());
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), "time_s,reason\n1,sjf looks best\n5,\"f1, by 3 %\"\n");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace penstock
