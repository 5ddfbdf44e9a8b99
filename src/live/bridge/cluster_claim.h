#pragma once

#include <optional>
#include <string>

#include "base/descriptor.h"

namespace penstock {

/// The right to act on a cluster, which one process of a machine has at a time, whatever its
/// journal, folder and user. It is a name among the machine's abstract sockets: it needs no file,
/// nobody can leave it behind, and it ends with the process.
class ClusterClaim {
 public:
  /// `cluster` names it among all clusters; if it is empty, nobody is ever in the way.
  explicit ClusterClaim(std::string cluster);

  /// Takes it, if that can be done, and keeps it. Nothing if it is ours, else who has it. To be
  /// called now and then.
  std::optional<std::string> take();
  /// Who else has it; nothing if nobody has.
  std::optional<std::string> holder() const;

 private:
  bool bind_it();
  void greet_those_who_ask() const;

  std::string name_;
  Descriptor socket_;
};

}  // namespace penstock
