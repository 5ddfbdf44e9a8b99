#pragma once

#include <poll.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "bridge/line_buffer.h"

namespace penstock::bridge {

/// What the hook says of a job, "JOBID=12 JOBSTATE=COMPLETED EXITCODE=0:0 ...", as the JSON line
/// that the bridge pushes; none if it does not name a job. Words that are not known are passed
/// over.
std::optional<std::string> event_of(std::string_view hook_line);

/// Where the hook reports: a Unix socket that hears only root, ourselves and one other user.
class EventSocket {
 public:
  /// Takes the place of a socket on which nobody listens any more; refuses any other file.
  static Result<EventSocket> listen_at(const std::string& path, uid_t also_hears);

  EventSocket(EventSocket&&) = default;
  EventSocket& operator=(EventSocket&&) = default;
  ~EventSocket();

  /// What to wait for.
  void watch(std::vector<pollfd>& watched) const;
  /// All lines that have come, as events in JSON; never waits.
  std::vector<std::string> take();

 private:
  struct Caller {
    Descriptor descriptor;
    LineBuffer lines;
    bool gone = false;
  };

  EventSocket(std::string path, Descriptor listener, uid_t also_hears)
      : path_(std::move(path)), listener_(std::move(listener)), also_hears_(also_hears) {}
  void admit();
  bool is_welcome(const Descriptor& caller) const;
  static void read_from(Caller& caller, std::vector<std::string>& events);

  std::string path_;
  Descriptor listener_;
  uid_t also_hears_;
  std::vector<Caller> callers_;
};

}  // namespace penstock::bridge
