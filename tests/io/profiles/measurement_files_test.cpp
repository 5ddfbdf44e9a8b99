#include "io/profiles/measurement_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace penstock {
namespace {

const std::filesystem::path kShipped = PENSTOCK_ROOT "/data/profiles";

class MeasurementFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("penstock-" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void put(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  /// What is wrong with the file, without the folder it lies in.
  std::string refusal(const std::string& name, const std::string& text) const {
    put(name, text);
    std::vector<std::string> notes;
    const auto read = read_measurements({folder_ / name}, notes);
    if (read) return "";
    std::string message = read.error().message;
    const std::string prefix = folder_.string() + "/";
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  }

  std::filesystem::path folder_;
};

Measurements shipped_measurements(const std::string& folder, std::vector<std::string>& notes) {
  auto read = read_measurements({kShipped / folder}, notes);
  EXPECT_TRUE(read) << read.error().message;
  return read ? std::move(*read) : Measurements{};
}

TEST_F(MeasurementFiles, knows_elasticflow_tables) {
  std::vector<std::string> notes;
  const Measurements seen = shipped_measurements("elasticflow/throughputs_A100", notes);
  ASSERT_EQ(seen.speeds.size(), 7u);
  const SpeedTable& resnet = seen.speeds[4];
  EXPECT_EQ(resnet.model, "resnet50");
  EXPECT_EQ(resnet.gpu, "a100");
  EXPECT_EQ(resnet.points.size(), 21u);
  EXPECT_EQ(resnet.points[4].config.gpus, 16u);
  EXPECT_EQ(resnet.points[4].config.nodes, 2u);
  EXPECT_NEAR(resnet.points[0].seconds, 1 / 6.8429775823889685, 1e-12);
  EXPECT_EQ(notes, std::vector<std::string>{"10 cells say that nothing was measured"});
}

TEST_F(MeasurementFiles, knows_four_gpus_of_a_t4_node) {
  std::vector<std::string> notes;
  const Measurements seen = shipped_measurements("elasticflow/throughputs_T4", notes);
  EXPECT_EQ(seen.speeds.front().points[3].config.gpus, 8u);
  EXPECT_EQ(seen.speeds.front().points[3].config.nodes, 2u);
}

TEST_F(MeasurementFiles, knows_pollux_times_and_validation) {
  std::vector<std::string> notes;
  const Measurements seen = shipped_measurements("pollux/bert", notes);
  ASSERT_EQ(seen.speeds.size(), 1u);
  EXPECT_EQ(seen.speeds[0].points.size(), 720u);
  EXPECT_TRUE(seen.speeds[0].batch_per_gpu);
  ASSERT_EQ(seen.noise.size(), 1u);
  ASSERT_EQ(seen.noise[0].points.size(), 6u);
  EXPECT_EQ(seen.noise[0].points[0].batch, 12);
  EXPECT_EQ(seen.noise[0].points[0].samples, 14774 * 12);
  EXPECT_NEAR(seen.noise[0].points[5].samples, 480 * 384, 0.005 * 480 * 384);
}

TEST_F(MeasurementFiles, knows_gavel_throughputs) {
  std::vector<std::string> notes;
  const Measurements seen = shipped_measurements("gavel", notes);
  const auto found = std::ranges::find_if(
      seen.speeds, [](const SpeedTable& t) { return t.model == "resnet50" && t.gpu == "v100"; });
  ASSERT_NE(found, seen.speeds.end());
  EXPECT_EQ(found->points.size(), 28u);  // 4 batches, 1 to 8 GPUs, 2 to 8 apart
  const auto apart = std::ranges::find_if(found->points, [](const SpeedObservation& o) {
    return o.config.nodes == 8 && o.config.batch == 8 * 128;
  });
  ASSERT_NE(apart, found->points.end());
  EXPECT_NEAR(apart->seconds, 8 / 13.943, 1e-3);
}

TEST_F(MeasurementFiles, knows_zeus_power_tables) {
  std::vector<std::string> notes;
  const Measurements seen = shipped_measurements("zeus", notes);
  EXPECT_EQ(seen.limits.size(), 68u + 53u + 45u);
  std::size_t rows = 0;
  for (const LimitSweep& sweep : seen.limits) rows += sweep.series.size();
  EXPECT_EQ(rows, 476u + 453u + 270u);
}

TEST_F(MeasurementFiles, knows_perseus_sweeps_and_counts_repeated_stages_once) {
  std::vector<std::string> notes;
  const Measurements seen = shipped_measurements("perseus", notes);
  ASSERT_EQ(seen.clocks.size(), 3u);
  EXPECT_EQ(seen.clocks[0].gpu, "a100");
  EXPECT_EQ(seen.clocks[0].highest_mhz, 1410);
  EXPECT_EQ(seen.clocks[0].series.size(), 4u);
  EXPECT_EQ(seen.clocks[0].series[0].size(), 38u);
}

TEST_F(MeasurementFiles, knows_perseus_fronts) {
  std::vector<std::string> notes;
  const Measurements seen = shipped_measurements("../fronts", notes);
  ASSERT_EQ(seen.fronts.size(), 2u);
  const PipelineFront& front = seen.fronts[1];
  EXPECT_EQ(front.model, "gpt3-175b_bf16_mb96");
  EXPECT_EQ(front.gpu, "a100");
  EXPECT_EQ(front.gpus, 8u);
  EXPECT_EQ(front.points.size(), 3495u);
  EXPECT_EQ(front.points.front(), (FrontPoint{15.586, 46770.525901082554}));
  EXPECT_EQ(front.points.back().seconds, 19.080000000000002);
  EXPECT_EQ(refusal("a40/x.csv", "time,energy\n1.5,-3\n"),
            "a40/x.csv:2: energy: '-3' is not believable; from 1e-06 to 1000000000 is");
}

TEST_F(MeasurementFiles, says_which_cell_cannot_be) {
  const std::string table = "throughputs_A100/x.csv";
  EXPECT_EQ(refusal(table, "global_batch_size,1,2\n64,1.5,-3\n"),
            "throughputs_A100/x.csv:2: 2: '-3' is not believable; from 1e-07 to 10000000 is");
  EXPECT_EQ(refusal(table, "global_batch_size,1,2\n64,1.5,1e30\n"),
            "throughputs_A100/x.csv:2: 2: '1e30' is not believable; from 1e-07 to 10000000 is");
  EXPECT_EQ(refusal(table, "global_batch_size,1,2\n64,1.5,fast\n"),
            "throughputs_A100/x.csv:2: 2: 'fast' is not a finite number");
  EXPECT_EQ(refusal(table, "global_batch_size,1,two\n64,1.5,2\n"),
            "throughputs_A100/x.csv:1: 'two' is not a number of GPUs");
  EXPECT_EQ(refusal("bert/placements.csv",
                    "placement,local_bsz,step_time,sync_time\n4,12,0.5,0.1\n404,12,0.5,0.1\n"),
            "bert/placements.csv:3: placement: '404' is not a placement such as 44: for each node "
            "a digit, its GPUs");
  EXPECT_EQ(
      refusal("bert/placements.csv", "placement,local_bsz,step_time,sync_time\n4,12,0.5,0.6\n"),
      "bert/placements.csv:2: sync_time: is longer than step_time, of which it is a part");
  EXPECT_EQ(
      refusal("m+a40_x.csv", "stage,instruction,frequency,time,energy\n0,forward,900,nan,1\n"),
      "m+a40_x.csv:2: time: 'nan' is not a finite number");
  EXPECT_EQ(
      refusal("summary_power_v100.csv",
              "dataset,network,batch_size,optimizer,power_limit,time_per_epoch,average_power\n"
              "imagenet,resnet50,0,sgd,100,10,90\n"),
      "summary_power_v100.csv:2: batch_size: '0' is not believable; from 1 to 1000000000 is");
  EXPECT_EQ(refusal("g.json", R"x({"v100": {"('LM', 2)": {"null": -1}}})x"),
            "g.json: v100: ('LM', 2): null: -1 is not believable; from 1e-07 to 10000000 is");
  EXPECT_EQ(refusal("g.json", R"x({"v100": {"('LM', two)": {"null": 1}}})x"),
            "g.json: v100: ('LM', two): is not a job such as ('ResNet-50 (batch size 32)', 4)");
}

TEST_F(MeasurementFiles, says_what_a_name_must_tell) {
  EXPECT_EQ(refusal("tables/x.csv", "global_batch_size,1\n64,1.5\n"),
            "tables/x.csv: a throughput table says its GPU type by its folder, such as "
            "throughputs_A100; this one lies in 'tables'");
  EXPECT_EQ(refusal("bert/validation.csv", "progress,iteration\n1,1\n"),
            "bert/validation.csv: a progress table says its batch size by its name, such as "
            "validation-64.csv");
}

TEST_F(MeasurementFiles, refuses_a_file_it_does_not_know_and_passes_over_others_in_folders) {
  EXPECT_EQ(refusal("notes.txt", "hello\n"),
            "notes.txt: is no file of measurements; known: ElasticFlow throughput table, Pollux "
            "step times, Pollux validation, Gavel throughputs, Zeus power table, Perseus stage "
            "profile, Perseus front");
  put("throughputs_A100/x.csv", "global_batch_size,1,2\n64,1.5,\n");
  std::vector<std::string> notes;
  const auto read = read_measurements({folder_}, notes);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->speeds[0].points.size(), 1u);
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0],
            (folder_ / "notes.txt").string() + ": is no file of measurements, passed over");
}

}  // namespace
}  // namespace penstock
