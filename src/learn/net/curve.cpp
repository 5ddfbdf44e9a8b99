#include "learn/net/curve.h"

#include <array>

namespace penstock {
namespace {

constexpr const char* kCurve = "curve";
constexpr std::uint64_t kColumns = 10;

std::array<double, kColumns> row_of(const CurvePoint& p) {
  return {static_cast<double>(p.member),
          static_cast<double>(p.update),
          static_cast<double>(p.decisions),
          p.mean_return,
          p.validation,
          p.best,
          p.entropy,
          p.divergence,
          p.explained,
          p.agreement};
}

/// No training has so many of anything.
bool is_count(double v) {
  constexpr double kMost = 9e15;
  return v >= 0 && v <= kMost;
}

CurvePoint point_of(std::span<const double> row) {
  return {.member = static_cast<std::uint64_t>(row[0]),
          .update = static_cast<std::uint64_t>(row[1]),
          .decisions = static_cast<std::uint64_t>(row[2]),
          .mean_return = row[3],
          .validation = row[4],
          .best = row[5],
          .entropy = row[6],
          .divergence = row[7],
          .explained = row[8],
          .agreement = row[9]};
}

}  // namespace

void put_curve(Weights& weights, std::span<const CurvePoint> curve) {
  std::vector<double> rows;
  for (const CurvePoint& point : curve)
    for (const double v : row_of(point)) rows.push_back(v);
  weights.tensors[kCurve] = {{curve.size(), kColumns}, std::move(rows)};
}

Result<std::vector<CurvePoint>> stored_curve(const Weights& weights) {
  const auto found = weights.tensors.find(kCurve);
  const bool there = found != weights.tensors.end() && !found->second.shape.empty();
  const auto rows =
      stored_values<double>(weights, kCurve, {there ? found->second.shape[0] : 0, kColumns});
  if (!rows) return rows.error();
  std::vector<CurvePoint> curve;
  for (std::size_t at = 0; at < rows->size(); at += kColumns) {
    const auto row = std::span(*rows).subspan(at, kColumns);
    if (!is_count(row[0]) || !is_count(row[1]) || !is_count(row[2]))
      return Error{"curve: holds what cannot be counted"};
    curve.push_back(point_of(row));
  }
  return curve;
}

}  // namespace penstock
