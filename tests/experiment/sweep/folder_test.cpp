#include "experiment/sweep/folder.h"

#include "experiment/sweep/own_sweep.h"

namespace penstock {
namespace {

namespace fs = std::filesystem;
using Points = std::vector<std::size_t>;
using SweepFolderTest = OwnSweep;

TEST_F(SweepFolderTest, is_made_where_there_is_none) {
  const auto folder = open();
  ASSERT_TRUE(folder) << folder.error().message;
  EXPECT_TRUE(fs::is_directory(out));
  EXPECT_EQ(folder->path(), fs::canonical(out));
  EXPECT_EQ(folder->missing(), (Points{0, 1, 2}));
}

TEST_F(SweepFolderTest, knows_which_points_are_there) {
  const auto folder = open();
  ASSERT_TRUE(folder);
  ASSERT_TRUE(folder->store(1, summary_of(1)));
  EXPECT_TRUE(folder->has(1));
  EXPECT_EQ(folder->missing(), (Points{0, 2}));
  EXPECT_EQ(*folder->read(1), summary_of(1));
  EXPECT_EQ(open()->missing(), (Points{0, 2})) << "also when it is opened again";
}

TEST_F(SweepFolderTest, does_not_count_a_point_that_has_not_ended) {
  const auto folder = open();
  ASSERT_TRUE(folder);
  ASSERT_TRUE(folder->create_point(0));
  write(fs::path(plan.points[0].folder) / "jobs.csv", "half a table");
  EXPECT_FALSE(folder->has(0));
  EXPECT_EQ(fault(), "") << "it goes on from there";
}

TEST_F(SweepFolderTest, refuses_what_is_no_folder) {
  write("", "");
  fs::remove_all(out);
  std::ofstream(out) << "a file";
  EXPECT_TRUE(fault().starts_with("--out " + out.string() + ": ")) << fault();
}

TEST_F(SweepFolderTest, refuses_to_put_points_beside_anything_else) {
  write("thesis.tex", "mine");
  EXPECT_EQ(fault(), "--out " + out.string() +
                         ": it holds 'thesis.tex', which is no point of this sweep; name another "
                         "folder or move that away");
}

TEST_F(SweepFolderTest, takes_what_was_made_of_points_for_its_own) {
  for (const char* name : {"summary.json", "sweep.csv", "report.html", "summary.json.new"})
    write(name, "");
  write("slurm/array.sh", "");
  EXPECT_EQ(fault(), "");
}

TEST_F(SweepFolderTest, refuses_a_summary_of_another_point) {
  const auto folder = open();
  ASSERT_TRUE(folder);
  ASSERT_TRUE(folder->store(0, summary_of(1)));
  const auto read = folder->read(0);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, (folder->point_path(0) / "summary.json").string() +
                                      ": is not of this point; remove it, and it is run again");
  EXPECT_FALSE(folder->read(2)) << "that is not there";
}

TEST_F(SweepFolderTest, keeps_why_points_failed_until_they_are_run_again) {
  const auto folder = open();
  ASSERT_TRUE(folder);
  EXPECT_TRUE(folder->failures({0, 1, 2}).empty());
  folder->store_failure(2, "no luck\nat all");
  const auto failed = folder->failures({0, 1, 2});
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].point, 2u);
  EXPECT_EQ(failed[0].reason, "no luck\nat all");
  EXPECT_FALSE(folder->has(2));
  EXPECT_TRUE(folder->failures({0, 1}).empty()) << "nobody asked about it";
  folder->remove_failures({2});
  EXPECT_TRUE(folder->failures({2}).empty());
}

TEST_F(SweepFolderTest, of_another_process_must_be_there) {
  const auto folder = SweepFolder::open_existing(out, plan);
  ASSERT_FALSE(folder);
  EXPECT_TRUE(folder.error().message.starts_with("--out " + out.string() + ": "));
  EXPECT_TRUE(folder.error().message.ends_with("; where a job runs, it must be the same folder"));
  EXPECT_FALSE(fs::exists(out)) << "it is not made";
  write("thesis.tex", "mine");
  EXPECT_TRUE(SweepFolder::open_existing(out, plan)) << "what is in it is not checked";
}

}  // namespace
}  // namespace penstock
