#include "serve/api/pending_request.h"

#include <utility>

namespace penstock {

bool Errand::begin() {
  const std::scoped_lock lock(mutex_);
  if (stage_ != Stage::asked || answer_) return false;
  stage_ = Stage::begun;
  news_.notify_all();
  return true;
}

void Errand::give(ApiAnswer answer) {
  const std::scoped_lock lock(mutex_);
  if (answer_) return;
  answer_ = std::move(answer);
  news_.notify_all();
}

ApiAnswer Errand::wait(const Patience& patience) {
  std::unique_lock lock(mutex_);
  news_.wait_for(lock, patience.to_begin, [&] { return stage_ == Stage::begun || answer_; });
  if (stage_ == Stage::begun)
    news_.wait_for(lock, patience.to_end, [&] { return answer_.has_value(); });
  if (answer_) return *answer_;
  if (stage_ == Stage::begun)
    return api_error(504,
                     "there is no answer yet; it may have been done: look before you ask again");
  stage_ = Stage::given_up;
  return api_error(503, "the scheduler is busy; possible: try again in a moment");
}

}  // namespace penstock
