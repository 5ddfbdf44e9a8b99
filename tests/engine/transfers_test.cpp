#include "engine/transfers.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using namespace std::chrono_literals;

/// Two sites; a gigabyte needs 1 kWh and costs 0.5 on the way. The first site pays 2 a kWh in the
/// first hour and 4 from then on, and emits 100 g.
class TransfersTest : public testing::Test {
 protected:
  TransfersTest() {
    signals[0].price = Signal<Price>({{begin, Price(2)}, {begin + 1h, Price(4)}});
    signals[0].carbon = Signal<CarbonIntensity>::constant(CarbonIntensity(100));
    signals[0].pue = Signal<Ratio>::constant(Ratio(3));
  }
  static Cluster joined_sites() {
    Cluster made;
    made.types.resize(1);
    for (const char* name : {"here", "there"}) add_site(made, name, {{.count = 1, .gpus = 1}});
    const Link link{.megabits_per_second = 1000, .round_trip = {}, .per_gigabyte = Money(0.5)};
    made.network = {.sites = 2,
                    .links = std::vector<Link>(4, link),
                    .energy_per_gigabyte = Joules(kJoulesPerKwh)};
    return made;
  }

  const Time begin{1000h};
  Cluster cluster = joined_sites();
  std::vector<SiteSignals> signals = std::vector<SiteSignals>(2);
  Transfers transfers{cluster, signals};
  JobState job{.job = {.id = {5}, .files_gb = 10, .checkpoint_gb = 2}, .at = {0}};
};

TEST_F(TransfersTest, are_billed_at_what_the_sender_pays_when_they_begin) {
  transfers.send(job, SiteId{1}, begin + 2h);
  const TransferBill bill = transfers.take(JobId{5});
  EXPECT_EQ(bill.count, 1u);
  EXPECT_DOUBLE_EQ(bill.gigabytes, 10) << "it has not run: there is no checkpoint";
  EXPECT_DOUBLE_EQ(bill.energy.value(), 10 * kJoulesPerKwh) << "without PUE";
  EXPECT_DOUBLE_EQ(bill.cost.value(), 40);
  EXPECT_DOUBLE_EQ(bill.carbon.value(), 1000);
  EXPECT_DOUBLE_EQ(bill.fee.value(), 5);
}

TEST_F(TransfersTest, take_the_checkpoint_of_a_job_that_has_run) {
  job.starts = 1;
  transfers.send(job, SiteId{1}, begin);
  EXPECT_DOUBLE_EQ(transfers.take(JobId{5}).gigabytes, 12);
}

TEST_F(TransfersTest, of_one_job_add_up_until_they_are_taken) {
  transfers.send(job, SiteId{1}, begin);
  transfers.send(job, SiteId{1}, begin);
  EXPECT_EQ(transfers.take(JobId{5}).count, 2u);
  EXPECT_EQ(transfers.take(JobId{5}), TransferBill{}) << "it was forgotten";
  EXPECT_EQ(transfers.take(JobId{6}), TransferBill{}) << "it was never sent";
}

TEST_F(TransfersTest, are_billed_to_the_site_that_sends) {
  transfers.send(job, SiteId{1}, begin);
  EXPECT_EQ(transfers.from(SiteId{0}).count, 1u);
  EXPECT_DOUBLE_EQ(transfers.from(SiteId{0}).cost.value(), 20);
  EXPECT_EQ(transfers.from(SiteId{1}), TransferBill{});
}

}  // namespace
}  // namespace penstock
