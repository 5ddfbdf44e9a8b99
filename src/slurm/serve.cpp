#include "slurm/serve.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include "bridge/line_buffer.h"
#include "bridge/workers.h"
#include "slurm/answers.h"

namespace penstock::slurm {
namespace {

/// As many requests wait for slurmctld at a time: it lets them in by turns with its own scheduling.
constexpr std::size_t kWorkers = 16;
/// So many requests are read ahead of their answers; further ones wait in the pipe.
constexpr std::size_t kMostInHand = 256;

/// False once nobody reads any more.
bool write_line(int out, std::string line) {
  line += '\n';
  std::string_view rest = line;
  while (!rest.empty()) {
    const auto written = write(out, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bridge::Request request_of(const bridge::LineBuffer::Line& line) {
  if (line.too_long)
    return {.command =
                Error{"a line of more than " + std::to_string(bridge::kLongestLine) + " bytes"}};
  return bridge::parse_request(line.text);
}

class Conversation {
 public:
  Conversation(int in, int out, std::optional<bridge::EventSocket> events)
      : in_(in), out_(out), events_(std::move(events)) {}

  void hold() {
    while (goes_on_ && !(ended_ && workers_.size() == 0)) {
      wait();
      push_events();
      if (has_input_) read_input();
      write_results();
      hand_in();
    }
  }

 private:
  bool is_full() const { return workers_.size() >= kMostInHand; }

  void wait() {
    const bool listens = !ended_ && !is_full();
    std::vector<pollfd> watched{{listens ? in_ : -1, POLLIN, 0}, {workers_.ready(), POLLIN, 0}};
    if (events_) events_->watch(watched);
    poll(watched.data(), watched.size(), -1);
    has_input_ = watched[0].revents != 0;
  }

  void read_input() {
    std::array<char, 65536> bytes{};
    const auto got = read(in_, bytes.data(), bytes.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got > 0) lines_.add({bytes.data(), static_cast<std::size_t>(got)});
    ended_ = got <= 0;
  }

  void write_results() {
    while (auto result = workers_.next()) send_line(std::move(*result));
  }

  void hand_in() {
    while (!is_full()) {
      auto line = lines_.next();
      if (!line && ended_) line = lines_.rest();
      if (!line) return;
      const bridge::Request request = request_of(*line);
      workers_.add(bridge::subject_of(request),
                   [this, request] { return reply_to(request, reported_); });
    }
  }

  void push_events() {
    if (!events_) return;
    for (std::string& event : events_->take()) send_line(std::move(event));
  }

  void send_line(std::string line) { goes_on_ = goes_on_ && write_line(out_, std::move(line)); }

  int in_;
  int out_;
  std::optional<bridge::EventSocket> events_;
  bridge::LineBuffer lines_{bridge::kLongestLine};
  bridge::ReportedJobs reported_;
  bool goes_on_ = true;
  bool has_input_ = false;
  bool ended_ = false;  ///< nobody will ask more
  bridge::Workers workers_{kWorkers};
};

}  // namespace

void serve(int in, int out, std::optional<bridge::EventSocket> events) {
  Conversation(in, out, std::move(events)).hold();
}

}  // namespace penstock::slurm
