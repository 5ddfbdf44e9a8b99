#pragma once

#include <optional>
#include <string>

#include "base/descriptor.h"

namespace penstock {

/// The exclusive right to act on a cluster, held by at most one process of a machine, whatever its
/// journal, folder and user. It is the name of an abstract Unix socket: it needs no file, cannot be
/// left behind, and ends with the process.
class ClusterClaim {
 public:
  /// `cluster` identifies it among all clusters; with an empty name the claim never conflicts.
  explicit ClusterClaim(std::string cluster);

  /// Takes the claim if it is free, and keeps it. Returns nothing if this process has it, else who
  /// has it. To be called every few seconds.
  std::optional<std::string> take();
  /// The other process that has the claim; nothing if none has.
  std::optional<std::string> holder() const;

 private:
  bool bind_it();
  void answer_connections() const;

  std::string name_;
  Descriptor socket_;
};

}  // namespace penstock
