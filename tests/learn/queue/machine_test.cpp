#include "learn/queue/machine.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(Machine, is_the_largest_pool_of_one_type_at_one_site) {
  Cluster cluster{.types = {{.name = "a"}, {.name = "b"}}};
  add_site(cluster, "north", {{.count = 3, .gpus = 4, .type = {0}}});
  add_site(cluster, "south",
           {{.count = 2, .gpus = 4, .type = {0}}, {.count = 2, .gpus = 8, .type = {1}}});
  const Machine machine = largest_pool(cluster);
  EXPECT_EQ(machine.site, SiteId{1});
  EXPECT_EQ(machine.type.name, "b");
  EXPECT_EQ(machine.gpus, 16u);
}

TEST(Machine, pays_for_cooling_too) {
  const SiteSignals signals{.price = Signal<Price>::constant(Price(0.1)),
                            .pue = Signal<Ratio>::constant(Ratio(1.5))};
  EXPECT_DOUBLE_EQ(mean_price_per_kwh(signals, Time{}, Time(std::chrono::hours(1))), 0.1 * 1.5);
}

}  // namespace

}  // namespace penstock
