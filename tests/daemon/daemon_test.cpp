#include "daemon/daemon.h"

#include <unistd.h>

#include <chrono>
#include <thread>

#include "daemon/fake_site.h"
#include "journal/journal_reader.h"

namespace penstock {
namespace {

using RunDaemon = FakeSite;

bool has_begun(const std::filesystem::path& journal) {
  auto reader = JournalReader::open(journal);
  if (!reader) return false;
  const auto began = reader->last_entries("began", 1, std::nullopt);
  return began && !began->empty();
}

TEST_F(RunDaemon, schedules_until_a_signal_arrives) {
  const auto config = this->config();
  ASSERT_TRUE(config) << config.error().message;
  ShutdownSignal shutdown;
  std::thread operator_thread([&] {
    for (int i = 0; i < 600 && !has_begun(config->journal); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    kill(getpid(), SIGTERM);
  });
  const auto done = run_daemon(*config, "", shutdown);
  operator_thread.join();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(shutdown.arrived());
  EXPECT_TRUE(has_begun(config->journal));
}

}  // namespace
}  // namespace penstock
