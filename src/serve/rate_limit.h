#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace penstock {

/// How often each peer may ask: so many a second on average, and a burst of what it has saved up.
/// Any thread may ask.
class RateLimit {
 public:
  /// 0 a second is without limit.
  RateLimit(double per_second, double burst) : per_second_(per_second), burst_(burst) {}

  /// `now` is in seconds, and must not go back.
  bool admit(std::string_view peer, double now);
  std::size_t known_peers() const;

 private:
  struct Bucket {
    double saved = 0;
    double when = 0;
  };
  double saved_at(const Bucket& bucket, double now) const;
  void make_room(double now);

  double per_second_;
  double burst_;
  mutable std::mutex mutex_;
  std::map<std::string, Bucket, std::less<>> buckets_;
};

}  // namespace penstock
