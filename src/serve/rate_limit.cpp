#include "serve/rate_limit.h"

#include <algorithm>

namespace penstock {
namespace {

constexpr std::size_t kMostPeers = 4096;

}  // namespace

double RateLimit::saved_at(const Bucket& bucket, double now) const {
  return std::min(burst_, bucket.saved + (now - bucket.when) * per_second_);
}

/// Forgets who has saved up all there is, which is as if it had never asked; else whoever is
/// nearest to that.
void RateLimit::make_room(double now) {
  std::erase_if(buckets_, [&](const auto& peer) { return saved_at(peer.second, now) >= burst_; });
  if (buckets_.size() < kMostPeers) return;
  const auto richest = std::ranges::max_element(
      buckets_, {}, [&](const auto& peer) { return saved_at(peer.second, now); });
  buckets_.erase(richest);
}

bool RateLimit::admit(std::string_view peer, double now) {
  if (per_second_ <= 0) return true;
  const std::lock_guard lock(mutex_);
  auto found = buckets_.find(peer);
  if (found == buckets_.end()) {
    if (buckets_.size() >= kMostPeers) make_room(now);
    found = buckets_.emplace(peer, Bucket{burst_, now}).first;
  }
  Bucket& bucket = found->second;
  bucket = {saved_at(bucket, now), now};
  if (bucket.saved < 1) return false;
  bucket.saved -= 1;
  return true;
}

std::size_t RateLimit::known_peers() const {
  const std::lock_guard lock(mutex_);
  return buckets_.size();
}

}  // namespace penstock
