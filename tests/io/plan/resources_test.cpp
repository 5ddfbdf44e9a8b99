#include <gtest/gtest.h>

#include "io/plan/draft.h"
#include "io/plan/request_text.h"

namespace penstock {
namespace {

TEST(GpuCount, is_a_plain_number_without_sign_or_leading_zero) {
  EXPECT_EQ(gpu_count("1"), 1u);
  EXPECT_EQ(gpu_count("10000"), 10'000u);
  for (const std::string_view text : {"", "0", "04", "-1", "+1", "1.5", "four", "10001"})
    EXPECT_EQ(gpu_count(text), std::nullopt) << text;
}

/// The nodes of the good request with other costs of an M60.
std::vector<JointNode> nodes_with(std::string_view costs) {
  const std::string all = "\"GPUcosts\": {\"M60\": " + std::string(costs) + "}";
  const auto request = parse_plan_request(
      changed({{R"("GPUcosts": {"M60": {"1": 1, "2": 2, "3": 3, "4": 4}})", all}}), "r.json");
  EXPECT_TRUE(request) << (request ? "" : request.error().message);
  return request ? request->problem.nodes : std::vector<JointNode>(2);
}

TEST(PlanNodes, cost_by_the_table_of_their_type_as_far_as_they_have_gpus) {
  const auto nodes = nodes_with(R"({"4": 9, "2": 3, "1": 3, "3": 5})");
  EXPECT_EQ(nodes[0].cost, (std::vector<double>{0, 3.5, 3.5, 5.5, 9.5})) << "0.5 for the node";
  EXPECT_EQ(nodes[1].cost, (std::vector<double>{0, 3, 3}));
}

}  // namespace
}  // namespace penstock
