export interface Point {
  x: number;
  y: number;
}

/// Which points no other dominates, when `sx` and `sy` say whether less (1) or more (−1) is better: no other is at
/// least as good in both and better in one. Points with an undefined place are on no front.
export function front(points: readonly Point[], sx: 1 | -1 = 1, sy: 1 | -1 = 1): boolean[] {
  const on = points.map(() => false);
  const order = points
    .map((_, i) => i)
    .filter((i) => Number.isFinite(points[i].x) && Number.isFinite(points[i].y))
    .sort((a, b) => sx * (points[a].x - points[b].x) || sy * (points[a].y - points[b].y));
  let best = Infinity;
  let bestAt = NaN;
  for (const i of order) {
    const y = sy * points[i].y;
    const twin = y === best && points[i].x === bestAt;
    if (y < best || twin) {
      on[i] = true;
      best = y;
      bestAt = points[i].x;
    }
  }
  return on;
}
