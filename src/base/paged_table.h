#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/check.h"

namespace penstock {

/// Values by dense, growing index, whose memory follows what is alive: a page is
/// given back when the last of its values has been erased. References stay
/// valid until their value is erased.
template <class T>
class PagedTable {
 public:
  T& insert(std::uint32_t index, T value) {
    T& added = insert(index);
    added = std::move(value);
    return added;
  }

  /// A new value to be filled in.
  T& insert(std::uint32_t index) {
    const std::size_t page = index / kPageSize;
    if (page >= pages_.size()) pages_.resize(page + 1);
    if (!pages_[page]) pages_[page] = new_page();
    auto& slot = pages_[page]->slots[index % kPageSize];
    PENSTOCK_CHECK(!slot);
    slot.emplace();
    ++pages_[page]->used;
    ++size_;
    return *slot;
  }

  T* find(std::uint32_t index) {
    const std::size_t page = index / kPageSize;
    if (page >= pages_.size() || !pages_[page]) return nullptr;
    auto& slot = pages_[page]->slots[index % kPageSize];
    return slot ? &*slot : nullptr;
  }
  const T* find(std::uint32_t index) const { return const_cast<PagedTable*>(this)->find(index); }

  T& at(std::uint32_t index) {
    T* found = find(index);
    PENSTOCK_CHECK(found != nullptr);
    return *found;
  }
  const T& at(std::uint32_t index) const { return const_cast<PagedTable*>(this)->at(index); }

  void erase(std::uint32_t index) {
    at(index);
    auto& page = pages_[index / kPageSize];
    page->slots[index % kPageSize].reset();
    --size_;
    if (--page->used == 0) spare_ = std::move(page);
  }

  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kPageSize = 256;
  struct Page {
    std::array<std::optional<T>, kPageSize> slots;  // not `{}`: that would write every byte
    std::size_t used = 0;
  };
  /// A page is often emptied and needed again at once: the last one is kept.
  std::unique_ptr<Page> new_page() {
    return spare_ ? std::move(spare_) : std::make_unique_for_overwrite<Page>();
  }
  std::vector<std::unique_ptr<Page>> pages_;
  std::unique_ptr<Page> spare_;
  std::size_t size_ = 0;
};

}  // namespace penstock
