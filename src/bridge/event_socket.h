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

/// Turns a line of the hook, "JOBID=12 JOBSTATE=COMPLETED EXITCODE=0:0 ...", into the JSON line
/// that the bridge pushes; nothing if it names no job. Unknown words are ignored.
std::optional<std::string> event_of(std::string_view hook_line);

/// The Unix socket to which the hook reports. Accepts only root, the user of this process and one
/// other user.
class EventSocket {
 public:
  /// Replaces a socket on which nobody listens any more; refuses any other file.
  static Result<EventSocket> listen_at(const std::string& path, uid_t also_accepts);

  EventSocket(EventSocket&&) = default;
  EventSocket& operator=(EventSocket&&) = default;
  ~EventSocket();

  /// Adds the descriptors to poll.
  void watch(std::vector<pollfd>& watched) const;
  /// Returns all lines received so far, as events in JSON; never blocks.
  std::vector<std::string> take();

 private:
  struct Caller {
    Descriptor descriptor;
    LineBuffer lines;
    bool gone = false;
  };

  EventSocket(std::string path, Descriptor listener, uid_t also_accepts)
      : path_(std::move(path)), listener_(std::move(listener)), also_accepts_(also_accepts) {}
  void admit();
  bool may_send(const Descriptor& caller) const;
  static void read_from(Caller& caller, std::vector<std::string>& events);

  std::string path_;
  Descriptor listener_;
  uid_t also_accepts_;
  std::vector<Caller> callers_;
};

}  // namespace penstock::bridge
