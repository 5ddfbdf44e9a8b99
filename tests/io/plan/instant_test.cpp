#include "io/plan/instant.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(Instant, reads_the_forms_of_others_and_ours) {
  const auto published = parse_instant("Tue 21 Jul 2020, 17.56.59");
  const auto iso = parse_instant("2020-07-21T17:56:59Z");
  ASSERT_TRUE(published && iso);
  EXPECT_EQ(published->seconds, 1595354219);
  EXPECT_EQ(iso->seconds, 1595354219);
  EXPECT_EQ(published->form, InstantForm::weekday);
  EXPECT_EQ(iso->form, InstantForm::iso);
}

TEST(Instant, refuses_what_is_no_date) {
  for (const char* text : {"", "soon", "Tue 31 Feb 2020, 17.56.59", "Tue 21 Jux 2020, 17.56.59",
                           "Die 21 Jul 2020, 17.56.59", "Tue 21 Jul 2020 17.56.59 ", "217.7"})
    EXPECT_FALSE(parse_instant(text)) << text;
}

TEST(Instant, is_written_in_the_form_it_came_in) {
  const double later = 1595354219 + 73837.99561;
  EXPECT_EQ(instant_json({later, InstantForm::weekday}), R"("Wed 22 Jul 2020, 14.27.37")");
  EXPECT_EQ(instant_json({later, InstantForm::iso}), R"("2020-07-22T14:27:36.996Z")");
  EXPECT_EQ(instant_json({73837.99561, InstantForm::seconds}), "73837.99561");
}

}  // namespace
}  // namespace penstock
