#include "policies/andreas/instance.h"

#include <gtest/gtest.h>

#include "policy/place/one_site.h"
#include "worlds/world.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

/// Two nodes of two GPUs each, which idle at 50 W and work at 400 W; a node around them draws
/// 100 W. A kWh costs 0.25 for an hour, and then 0.5; its carbon is 200 g.
class InstanceTest : public testing::Test {
 protected:
  InstanceTest() {
    SiteSignals& site = world.signals[0];
    site.price = Signal<Price>({{world.start(), Price(0.25)}, {world.start() + 1h, Price(0.5)}});
    site.carbon = Signal<CarbonIntensity>::constant(CarbonIntensity(200));
  }
  View view() {
    outlook.emplace(world.signals, world.forecasts, world.start());
    return {.now = world.start(),
            .state = state,
            .models = models,
            .outlook = *outlook,
            .so_far = bill};
  }
  void submit(std::uint32_t gpus, Duration requested, std::optional<Time> deadline = {}) {
    const JobId id{jobs++};
    state.admit({.id = id,
                 .submitted = world.start(),
                 .gpus = gpus,
                 .requested = requested,
                 .deadline = deadline});
    state.apply(JobSubmitted{id}, world.start());
  }

  World world = one_site(2, 2);
  State state{world.cluster, world.costs, world.start()};
  Models models{1};
  Bill bill{};
  std::optional<Outlook> outlook;
  std::uint32_t jobs = 0;
};

TEST(Shapes, are_parts_of_a_gpu_up_to_eight_gpus_and_powers_of_two) {
  const Shapes whole(cluster_of({{.count = 1, .gpus = 2}, {.count = 1, .gpus = 20}}));
  EXPECT_EQ(whole.largest_node(GpuTypeId{0}), 20u);
  EXPECT_EQ(whole.sizes(GpuTypeId{0}), (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7, 8, 16}));
  Cluster shared = cluster_of({{.count = 1, .gpus = 12}});  // three GPUs, cut into four
  shared.share = 4;
  EXPECT_EQ(Shapes(shared).sizes(GpuTypeId{0}), (std::vector<std::uint32_t>{1, 2, 4, 8, 12}));
}

TEST_F(InstanceTest, counts_power_until_the_next_decision_and_over_the_day) {
  const PowerRate plain = power_rate(view(), SiteId{0}, 0, 2 * 3600);
  EXPECT_NEAR(plain.now, 0.375e-3, 1e-9) << "an hour at 0.25 and one at 0.5, per kW";
  EXPECT_NEAR(plain.later, (0.25 + 23 * 0.5) / 24e3, 1e-9);
  EXPECT_NEAR(power_rate(view(), SiteId{0}, 1e-3, 3600).now, 0.45e-3, 1e-9) << "200 g cost 0.2";
  world.signals[0].pue = Signal<Ratio>::constant(Ratio(2));
  EXPECT_NEAR(power_rate(view(), SiteId{0}, 0, 3600).now, 0.5e-3, 1e-9);
  world.signals[0].price = Signal<Price>::constant(Price(-1));
  EXPECT_EQ(power_rate(view(), SiteId{0}, 0, 3600).now, 0) << "nobody is paid for waste";
}

TEST_F(InstanceTest, charges_a_node_that_could_sleep_only_once_it_is_used) {
  EXPECT_EQ(node_costs(view(), NodeId{0}, 0.5, false), (std::vector<double>{100, 100, 100}));
  EXPECT_EQ(node_costs(view(), NodeId{0}, 0.5, true), (std::vector<double>{10, 100, 100}))
      << "asleep it draws 2 x 5 W and 10 W";
  const Node& node = world.cluster.node(NodeId{0});
  EXPECT_EQ(own_cost(view(), node, Watts(800), 2, 0.5), 350) << "without what two idle GPUs draw";
  EXPECT_EQ(own_cost(view(), node, Watts(80), 2, 0.5), 0);
}

TEST_F(InstanceTest, holds_the_jobs_that_one_node_can_run) {
  submit(2, 2h, world.start() + 3h);
  submit(3, 1h);  // no node has three GPUs
  submit(1, 30min);
  const Shapes shapes(world.cluster);
  EXPECT_TRUE(shapes.is_wide(state.job(JobId{1}), view()));
  const Instance made =
      make_instance(view(), shapes, {NodeUse::open, NodeUse::taken}, 3600, {.delay_weight = 0.01});
  EXPECT_EQ(made.jobs, (std::vector<JobId>{{0}, {2}}));
  ASSERT_EQ(made.problem.nodes.size(), 2u);
  EXPECT_EQ(made.problem.nodes[0].gpus, 2u);
  EXPECT_EQ(made.problem.nodes[1].gpus, 0u) << "a wide job has taken it";
  const JointJob& first = made.problem.jobs[0];
  EXPECT_EQ(first.deadline, 3 * 3600);
  EXPECT_EQ(first.weight, 0.01);
  ASSERT_EQ(first.options.size(), 1u) << "nothing is known of it on other numbers of GPUs";
  EXPECT_EQ(first.options[0].slices, 2u);
  EXPECT_EQ(first.options[0].seconds, 2 * 3600);
  EXPECT_NEAR(first.options[0].own_rate, 700 * 0.25e-3, 1e-9);
  EXPECT_EQ(made.problem.jobs[1].deadline, 0) << "due when it comes";
}

TEST_F(InstanceTest, looks_at_a_window_of_waiting_jobs) {
  for (int i = 0; i < 3; ++i) submit(1, 1h);
  const std::vector<NodeUse> open(2, NodeUse::open);
  const Instance made = make_instance(view(), Shapes(world.cluster), open, 3600, {.window = 2});
  EXPECT_EQ(made.jobs, (std::vector<JobId>{{0}, {1}}));
}

/// A node of four GPUs that need 40 W and, at 1000 MHz, 300 W more; the power falls with the cube
/// of the clock, the speed with the clock. Two jobs of 1000 s on one GPU, due after so many
/// seconds.
struct ClockWorld {
  explicit ClockWorld(Duration due, std::uint32_t count = 2) {
    GpuType& type = world.cluster.types[0];
    type.min_clock_mhz = 200;
    type.max_clock_mhz = 1000;
    type.clock_step_mhz = 100;
    world.signals[0].price = Signal<Price>::constant(Price(0.25));
    models.set(models.add_kind(), {},
               {.speed = {.alpha_c = 1},
                .power = {.p0 = Watts(40), .p3 = Watts(300)},
                .batch = {.least = 1, .most = 1, .local_most = 1},
                .gpus_most = 1});
    state.emplace(world.cluster, world.costs, world.start());
    for (std::uint32_t j = 0; j < count; ++j) {
      state->admit({.id = JobId{j},
                    .submitted = world.start(),
                    .gpus = 1,
                    .requested = 1000s,
                    .deadline = world.start() + due,
                    .kind_id = KindId{0},
                    .work = Work(1000),
                    .batch = 1});
      state->apply(JobSubmitted{JobId{j}}, world.start());
    }
    outlook.emplace(world.signals, world.forecasts, world.start());
  }
  JointOption first_option(const InstanceSpec& spec) {
    const View view{.now = world.start(),
                    .state = *state,
                    .models = models,
                    .outlook = *outlook,
                    .so_far = bill};
    const Instance made = make_instance(view, Shapes(world.cluster), {NodeUse::open}, 3600, spec);
    return made.problem.jobs[0].options[0];
  }
  std::uint32_t clock(bool lowers) {
    return first_option({.delay_weight = 0.01, .clocks = lowers}).clock_mhz;
  }

  World world = one_site(1, 4);
  std::optional<State> state{};
  Models models{1};
  Bill bill{};
  std::optional<Outlook> outlook{};
};

TEST(InstanceClocks, are_the_cheapest_that_are_in_time_where_gpus_suffice) {
  EXPECT_EQ(ClockWorld(100'000s).clock(false), 0u) << "nobody sets them";
  const std::uint32_t cheapest = ClockWorld(100'000s).clock(true);
  EXPECT_LT(cheapest, 1000u);
  EXPECT_EQ(cheapest, 400u) << "a node that draws on anyway is no reason to hurry";
  const InstanceSpec sleeping{.delay_weight = 0.01, .nodes_sleep = true, .clocks = true};
  EXPECT_GT(ClockWorld(100'000s).first_option(sleeping).clock_mhz, 400u)
      << "slower, the node and what a GPU needs at any clock cost more";
  // A tenth of the time left is kept: at 900 MHz a job takes 1111 s.
  EXPECT_EQ(ClockWorld(1240s).clock(true), 900u);
  EXPECT_EQ(ClockWorld(1000s).clock(true), 1000u);
  EXPECT_EQ(ClockWorld(100'000s, 3).clock(true), 1000u) << "three of four GPUs are too many";
}

TEST(InstanceClocks, a_clock_that_somebody_else_sets_is_planned_with) {
  ClockWorld world(100'000s);
  EXPECT_EQ(world.first_option({}).seconds, 1000);
  const auto half = ClockChoice::parse("500", world.world.cluster);
  ASSERT_TRUE(half);
  const JointOption slow = world.first_option({.clock = *half});
  EXPECT_EQ(slow.seconds, 2000);
  EXPECT_EQ(slow.clock_mhz, 0u) << "the plan does not set it";
  EXPECT_LT(slow.own_rate, world.first_option({}).own_rate);
}

}  // namespace
}  // namespace penstock
