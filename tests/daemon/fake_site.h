#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "serve/config/config.h"

namespace penstock {

/// A folder with a configuration of one site, whose bridge is a script that knows one node and no
/// jobs.
class FakeSite : public testing::Test {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);  // a bridge may end before it has read all
    std::string pattern = testing::TempDir() + "daemon-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::ofstream(bridge()) << R"(#!/usr/bin/env python3
import json, sys
NODE = {"name": "n1", "state": "idle", "gpus": [{"type": "a100", "total": 4}], "partitions": ["main"]}
ANSWERS = {"hello": {"cluster": "east"}, "nodes": {"nodes": [NODE]}, "partitions": {"partitions": [{"name": "main"}]},
           "jobs": {"jobs": [], "last_update": 1}}
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"id": asked["id"], "ok": True, **ANSWERS.get(asked["do"], {})}), flush=True)
)";
    chmod(bridge().c_str(), 0700);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string bridge() const { return (folder_ / "bridge").string(); }

  Result<ServeConfig> config() const {
    const auto file = folder_ / "serve.toml";
    std::ofstream(file) << fmt::format(R"([serve]
listen = "127.0.0.1:0"
journal = "journal.db"
[policy]
name = "fifo"
[[site]]
name = "east"
price = {{ fixed = "0.2 EUR/kWh" }}
[site.slurm]
bridge = "{}"
poll = "1 s"
)",
                                       bridge());
    return read_serve_config(file);
  }

  std::filesystem::path folder_;
};

}  // namespace penstock
