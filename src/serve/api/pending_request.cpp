#include "serve/api/pending_request.h"

#include <utility>

namespace penstock {
namespace {

constexpr auto kSchedulerTimeout = std::chrono::seconds(5);

}  // namespace

bool PendingRequest::begin() {
  const std::scoped_lock lock(mutex_);
  if (stage_ != Stage::asked || answer_) return false;
  stage_ = Stage::begun;
  changed_.notify_all();
  return true;
}

void PendingRequest::respond(ApiResponse answer) {
  const std::scoped_lock lock(mutex_);
  if (answer_) return;
  answer_ = std::move(answer);
  changed_.notify_all();
}

ApiResponse PendingRequest::wait(const Timeouts& timeout) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, timeout.to_begin, [&] { return stage_ == Stage::begun || answer_; });
  if (stage_ == Stage::begun)
    changed_.wait_for(lock, timeout.to_end, [&] { return answer_.has_value(); });
  if (answer_) return *answer_;
  if (stage_ == Stage::begun)
    return api_error(504,
                     "there is no answer yet; it may have been done: look before you ask again");
  stage_ = Stage::given_up;
  return api_error(503, "the scheduler is busy; possible: try again in a moment");
}

ApiResponse SchedulerCalls::call(const Work& work) {
  return call_within(work, kSchedulerTimeout);
}

/// The bridge is given up when its patience is over, and that is then the response.
ApiResponse SchedulerCalls::call_cluster(const Work& work) {
  return call_within(work, cluster_timeout_ + kSchedulerTimeout);
}

/// The one who asks may have gone away before the response comes: both share the request.
ApiResponse SchedulerCalls::call_within(const Work& work, Duration timeout) {
  const auto request = std::make_shared<PendingRequest>();
  {
    const std::scoped_lock lock(mutex_);
    if (closed_) return api_error(503, "the daemon is stopping");
    pending_.insert(request);
  }
  backend_.post([request, work](Time now) {
    if (request->begin())
      work(now, [request](ApiResponse response) { request->respond(std::move(response)); });
  });
  ApiResponse response = request->wait({.to_begin = kSchedulerTimeout, .to_end = timeout});
  const std::scoped_lock lock(mutex_);
  pending_.erase(request);
  return response;
}

void SchedulerCalls::close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  for (const auto& request : pending_)
    request->respond(api_error(504, "the daemon is stopping; it may have been done"));
}

}  // namespace penstock
