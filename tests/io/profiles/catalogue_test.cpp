#include "io/profiles/catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "model/gpu_type.h"

namespace penstock {
namespace {

constexpr std::string_view kGood = R"([[model]]
name = "resnet50"
aliases = ["imagenet"]
gpu = "a100"
gpus_most = 64
batch = { least = 64, most = 256, local_most = 256, usual = 128 }
speed = { alpha_c = 0.01, beta_c = 0.002, alpha_r = 0.02, beta_r = 0.002, alpha_n = 0.03, beta_n = 1e-4, gamma = 1.5, delta = 0.1 }
power = { p0 = 62.1, p1 = 0, p3 = 300, p1_sync = 40 }
noise = { base = 64, scale = 1234.5 }
error = { speed_in = 0.012, speed_held_out = 0.034 }
source = "measured"
)";

std::string with_catalogue(std::string_view from, std::string_view to) {
  std::string text(kGood);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string refusal(const std::string& text) {
  const auto read = parse_profiles(text, "m.toml");
  return read ? "" : read.error().message;
}

TEST(Catalogue, reads_what_it_says) {
  const auto read = parse_profiles(kGood, "m.toml");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 1u);
  const Profile& p = read->front();
  EXPECT_EQ(p.name, "resnet50");
  EXPECT_EQ(p.aliases, std::vector<std::string>{"imagenet"});
  EXPECT_EQ(p.gpu, "a100");
  EXPECT_EQ(p.gpus_most, 64u);
  EXPECT_EQ(p.batch, (BatchRange{64, 256, 256}));
  EXPECT_EQ(p.batch_usual, 128);
  EXPECT_EQ(p.speed, (SpeedModel{0.01, 0.002, 0.02, 0.002, 0.03, 1e-4, 1.5, 0.1}));
  EXPECT_EQ(p.power, (PowerModel{Watts(62.1), Watts(0), Watts(300), Watts(40)}));
  EXPECT_EQ(p.noise, (NoiseModel{64, 1234.5}));
  EXPECT_EQ(p.source, "measured");
}

TEST(Catalogue, needs_no_noise) {
  const auto read =
      parse_profiles(with_catalogue("noise = { base = 64, scale = 1234.5 }\n", ""), "m.toml");
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->front().noise.scale);
}

TEST(Catalogue, comes_back_bit_by_bit) {
  Profile p = parse_profiles(kGood, "m.toml")->front();
  p.name = "a \"quoted\\ name\n";
  p.speed.alpha_c = 0.1 + 0.2;
  p.speed.beta_n = 1.0 / 3e7;
  p.power.p3 = Watts(1e3 / 7);
  p.noise.scale = 1e10;
  const std::vector<FittedProfile> entries{{p, {.speed_in = 0.5}}};
  const auto read = parse_profiles(profiles_toml(entries, "head\nof two lines"), "m.toml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->front().name, p.name);
  EXPECT_EQ(read->front().aliases, p.aliases);
  EXPECT_EQ(read->front().speed, p.speed);
  EXPECT_EQ(read->front().power, p.power);
  EXPECT_EQ(read->front().noise, p.noise);
  EXPECT_EQ(read->front().batch, p.batch);
  EXPECT_EQ(read->front().batch_usual, p.batch_usual);
}

TEST(Catalogue, refuses_numbers_that_no_fit_gives) {
  EXPECT_EQ(refusal(with_catalogue("alpha_c = 0.01", "alpha_c = 0")),
            "m.toml:7: model.speed.alpha_c: must be at least 1e-12, not 0");
  EXPECT_EQ(refusal(with_catalogue("beta_c = 0.002", "beta_c = nan")),
            "m.toml:7: model.speed.beta_c: must be a finite number, not nan");
  EXPECT_EQ(refusal(with_catalogue("gamma = 1.5", "gamma = 11")),
            "m.toml:7: model.speed.gamma: must be at most 10, not 11");
  EXPECT_EQ(refusal(with_catalogue("delta = 0.1", "delta = -0.1")),
            "m.toml:7: model.speed.delta: must be at least 0, not -0.1");
  EXPECT_EQ(refusal(with_catalogue("p0 = 62.1", "p0 = -1")),
            "m.toml:8: model.power.p0: must be at least 1e-12, not -1");
  EXPECT_EQ(refusal(with_catalogue("gpus_most = 64", "gpus_most = 0")),
            "m.toml:5: model.gpus_most: must be at least 1, not 0");
}

TEST(Catalogue, refuses_an_empty_batch_range) {
  EXPECT_EQ(refusal(with_catalogue("least = 64", "least = 512")),
            "m.toml:6: model.batch: is empty: least 512 is above most 256");
}

TEST(Catalogue, refuses_a_usual_batch_that_one_gpu_does_not_hold) {
  EXPECT_EQ(refusal(with_catalogue("usual = 128", "usual = 500")),
            "m.toml:6: model.batch.usual: 500 on each GPU is above most 256 or local_most 256");
  EXPECT_EQ(refusal(with_catalogue("local_most = 256", "local_most = 64")),
            "m.toml:6: model.batch.usual: 128 on each GPU is above most 256 or local_most 64");
  EXPECT_EQ(refusal(with_catalogue("usual = 128", "usual = 32")), "") << "many GPUs reach least";
}

TEST(Catalogue, tells_whether_gradients_are_accumulated) {
  const std::string not_so = with_catalogue("usual = 128", "usual = 128, accumulates = false");
  const auto read = parse_profiles(not_so, "m.toml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->front().batch.accumulates);
  EXPECT_TRUE(parse_profiles(kGood, "m.toml")->front().batch.accumulates);
  const std::string again = profiles_toml({{FittedProfile{.profile = read->front()}}});
  EXPECT_FALSE(parse_profiles(again, "m.toml")->front().batch.accumulates);
  EXPECT_EQ(refusal(with_catalogue("usual = 128", "usual = 128, accumulates = 1")),
            "m.toml:6: model.batch.accumulates: must be true or false, not a whole number");
}

TEST(Catalogue, tells_every_problem_at_once) {
  std::string text = with_catalogue("gamma = 1.5", "gama = 1.5");
  text.replace(text.find("gpu = \"a100\""), 12, "gpu = \"\"    ");
  EXPECT_EQ(refusal(text),
            "m.toml:4: model.gpu: is empty\n"
            "m.toml:7: model.speed.gamma: is missing\n"
            "m.toml:7: model.speed.gama: unknown key; did you mean 'gamma'?");
}

TEST(Catalogue, refuses_a_second_model_of_the_same_name) {
  const std::string second = with_catalogue("name = \"resnet50\"", "name = \"imagenet\"");
  EXPECT_EQ(refusal(std::string(kGood) + second),
            "m.toml:13: model.name: there is already a model 'imagenet' for the GPU 'a100'");
}

TEST(Catalogue, refuses_a_file_without_models) {
  EXPECT_EQ(refusal("# nothing\n"), "m.toml: has no [[model]]");
  EXPECT_EQ(refusal("[[model\n").substr(0, 28), "m.toml:1: is not valid TOML:");
}

constexpr std::string_view kTable = R"([[model]]
name = "LSTMbig"
gpu = "tesla"
seconds_per_epoch = { "2" = 30.5512, "1" = 43.0842 }
power = { p0 = 170, p1 = 0, p3 = 0, p1_sync = 0 }
memory = "4 GiB"
)";

TEST(CatalogueTables, say_how_long_an_epoch_takes_by_gpus) {
  const auto read = parse_profiles(kTable, "m.toml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->front().epoch_seconds, (std::vector{43.0842, 30.5512}));
  EXPECT_EQ(read->front().gpus_most, 2u);
  EXPECT_EQ(read->front().memory_gib, 4);
}

TEST(CatalogueTables, come_back_bit_by_bit) {
  Profile p = parse_profiles(kTable, "m.toml")->front();
  p.epoch_seconds = {0.1 + 0.2, 0, 1 / 3.0};
  const auto read = parse_profiles(profiles_toml(std::vector<FittedProfile>{{p, {}}}), "m.toml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->front().epoch_seconds, p.epoch_seconds);
  EXPECT_EQ(read->front().memory_gib, p.memory_gib);
}

TEST(CatalogueTables, refuse_what_makes_no_sense) {
  const auto refused = [](std::string_view from, std::string_view to) {
    std::string text(kTable);
    return refusal(text.replace(text.find(from), from.size(), to));
  };
  EXPECT_EQ(refused("\"2\" = 30.5512", "\"2\" = -1.0"),
            "m.toml:4: model.seconds_per_epoch.2: must be at least 1e-12, not -1");
  EXPECT_EQ(refused("\"2\"", "two"),
            "m.toml:4: model.seconds_per_epoch.two: must be named by a number of GPUs, 1 to 4096");
  EXPECT_EQ(refused("\"2\" = 30.5512, \"1\" = 43.0842", ""),
            "m.toml:4: model.seconds_per_epoch: has no entry");
  EXPECT_EQ(refused("memory", "gpus_most = 3\nmemory"),
            "m.toml:6: model.gpus_most: stands beside seconds_per_epoch, which says it all");
}

constexpr std::string_view kFront = R"([[model]]
name = "gpt3"
gpu = "a100"
gpus = 6
front = [[10.0, 5000.0], [12, 4000.0]]
power = { p0 = 50, p1 = 0, p3 = 0, p1_sync = 0 }
)";

TEST(CatalogueFronts, say_what_an_iteration_needs_by_its_time) {
  const auto read = parse_profiles(kFront, "m.toml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->front().front, (std::vector<FrontPoint>{{10, 5000}, {12, 4000}}));
  EXPECT_EQ(read->front().gpus_least, 6u);
  EXPECT_EQ(read->front().gpus_most, 6u);
}

TEST(CatalogueFronts, come_back_bit_by_bit) {
  Profile p = parse_profiles(kFront, "m.toml")->front();
  p.front = {{0.1 + 0.2, 1e6 / 3}, {1 / 3.0, 1e5}};
  const auto read = parse_profiles(profiles_toml(std::vector<FittedProfile>{{p, {}}}), "m.toml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->front().front, p.front);
  EXPECT_EQ(read->front().gpus_most, 6u);
}

TEST(CatalogueFronts, refuse_what_makes_no_sense) {
  const auto refused = [](std::string_view from, std::string_view to) {
    std::string text(kFront);
    return refusal(text.replace(text.find(from), from.size(), to));
  };
  for (const char* point :
       {"12", "[12]", "[12, 4000, 1]", "[12, -1]", "[\"12\", 1]", "[nan, 1]", "[1e7, 1]"})
    EXPECT_EQ(refused("[12, 4000.0]", point),
              "m.toml:5: model.front: point 2 is not [seconds, joules], both positive")
        << point;
  for (const char* point : {"[10, 4000]", "[12, 5000]"})
    EXPECT_EQ(refused("[12, 4000.0]", point),
              "m.toml:5: model.front: point 2 is not slower than the one before, with less energy");
  EXPECT_EQ(refused("[[10.0, 5000.0], [12, 4000.0]]", "[]"),
            "m.toml:5: model.front: must be a list of points such as [[15.6, 46770.5], …]");
  EXPECT_EQ(refused("gpus = 6", "gpus = 0"), "m.toml:4: model.gpus: must be at least 1, not 0");
  EXPECT_EQ(refused("power", "seconds_per_epoch = { \"1\" = 1 }\npower"),
            "m.toml:6: model.seconds_per_epoch: stands beside front, which says it all");
}

TEST(ShippedModels, are_whole_and_believable) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(PENSTOCK_ROOT "/data/models")) {
    ++files;
    const auto read = read_profiles(entry.path());
    ASSERT_TRUE(read) << read.error().message;
    for (const Profile& p : *read) {
      const auto type = std::ranges::find(gpu_catalogue(), p.gpu, &GpuType::name);
      ASSERT_NE(type, gpu_catalogue().end()) << p.gpu;
      if (p.is_front()) {
        const double most = p.front.front().joules / p.front.front().seconds / p.gpus_most;
        EXPECT_LE(most, type->peak.value() * 1.06) << p.gpu << " " << p.name;
        continue;
      }
      EXPECT_GE(p.power.p0, type->idle) << p.gpu << " " << p.name;
      EXPECT_LE(p.power.p0 + p.power.p1 + p.power.p3, type->peak * 1.05) << p.gpu << " " << p.name;
      EXPECT_TRUE(runs(p, {.gpus = 1, .batch = p.batch_usual})) << p.gpu << " " << p.name;
    }
  }
  EXPECT_EQ(files, 7u);
}

}  // namespace
}  // namespace penstock
