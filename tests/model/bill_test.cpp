#include "model/bill.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

constexpr Bill kOne{Joules(1), Money(2), GramsCo2(3), Money(4)};
constexpr Bill kTen{Joules(10), Money(20), GramsCo2(30), Money(40)};

TEST(Bill, adds_and_takes_off_every_part) {
  EXPECT_EQ(kTen + kOne, (Bill{Joules(11), Money(22), GramsCo2(33), Money(44)}));
  EXPECT_EQ(kTen - kOne, (Bill{Joules(9), Money(18), GramsCo2(27), Money(36)}));
  EXPECT_EQ(kOne * 10, kTen);
}

TEST(Bill, differs_if_any_part_does) {
  for (const Bill& part : {Bill{.energy = Joules(1)}, Bill{.cost = Money(1)},
                           Bill{.carbon = GramsCo2(1)}, Bill{.rent = Money(1)}})
    EXPECT_NE(part, Bill{});
}

TEST(TransferBill, adds_every_part_and_pays_for_energy_and_fee) {
  TransferBill bill{1, 2, Joules(3), Money(4), GramsCo2(5), Money(6)};
  bill += bill;
  EXPECT_EQ(bill, (TransferBill{2, 4, Joules(6), Money(8), GramsCo2(10), Money(12)}));
  EXPECT_EQ(bill.money(), Money(20));
}

}  // namespace
}  // namespace penstock
