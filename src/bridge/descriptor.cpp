#include "bridge/descriptor.h"

#include <unistd.h>

namespace penstock::bridge {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

}  // namespace penstock::bridge
