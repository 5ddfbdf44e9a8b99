#pragma once

namespace penstock {

/// A sum of numbers, kept in two doubles: what is lost by rounding the first is added up in the
/// second. After as many additions as subtractions of the same numbers it is zero again, to some 30
/// digits of the largest.
class TwoPartSum {
 public:
  constexpr TwoPartSum() = default;

  constexpr double value() const { return high_ + low_; }

  constexpr TwoPartSum& operator+=(double number) {
    const double sum = high_ + number;
    const double added = sum - high_;
    low_ += (high_ - (sum - added)) + (number - added);
    high_ = sum;
    return *this;
  }
  constexpr TwoPartSum& operator-=(double number) { return *this += -number; }
  constexpr TwoPartSum& operator+=(const TwoPartSum& other) {
    *this += other.high_;
    low_ += other.low_;
    return *this;
  }

  /// The difference of two sums, exact to the last digits of a double however close they are.
  friend constexpr double operator-(const TwoPartSum& a, const TwoPartSum& b) {
    return (a.high_ - b.high_) + (a.low_ - b.low_);
  }

 private:
  double high_ = 0;
  double low_ = 0;
};

}  // namespace penstock
