#pragma once

#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace penstock {

/// Why an input could not be used. Several problems found at once are one message of several lines.
struct Error {
  std::string message;
  /// Puts the place in front, as one level up sees it: "prices.csv:12: not a number".
  Error in(const std::string& where) && { return {where + ": " + std::move(message)}; }
};

/// What Result holds when there is nothing to return.
struct Done {};

/// A value, or the reason there is none. Shaped like std::expected.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::move(value)) {}
  Result(Error error) : held_(std::move(error)) {}

  explicit operator bool() const { return held_.index() == 0; }
  const T& operator*() const& { return get(); }
  T& operator*() & {
    PENSTOCK_CHECK(*this);
    return *std::get_if<0>(&held_);
  }
  T&& operator*() && {
    PENSTOCK_CHECK(*this);
    return std::move(*std::get_if<0>(&held_));
  }
  const T* operator->() const { return &get(); }
  T* operator->() {
    PENSTOCK_CHECK(*this);
    return std::get_if<0>(&held_);
  }
  Error error() && {
    PENSTOCK_CHECK(!*this);
    return std::move(*std::get_if<1>(&held_));
  }
  const Error& error() const& {
    PENSTOCK_CHECK(!*this);
    return *std::get_if<1>(&held_);
  }

 private:
  const T& get() const {
    PENSTOCK_CHECK(*this);
    return *std::get_if<0>(&held_);
  }
  std::variant<T, Error> held_;
};

}  // namespace penstock
