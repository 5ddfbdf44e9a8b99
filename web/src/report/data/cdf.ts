/// Points of a logarithmic axis from `from` to `to`, both included.
export function logGrid(from: number, to: number, points: number): Float64Array {
  const out = new Float64Array(points);
  const step = points > 1 ? Math.log(to / from) / (points - 1) : 0;
  for (let i = 0; i < points; ++i) out[i] = from * Math.exp(step * i);
  out[points - 1] = to;
  return out;
}

/// The share of defined values that are at most x, for every x of `grid` (rising, positive); null without values.
export function cdf(values: Float64Array, grid: Float64Array): Float64Array | null {
  const counts = new Uint32Array(grid.length + 1);
  const low = Math.log(grid[0]);
  const step = grid.length > 1 ? Math.log(grid[1] / grid[0]) : 1;
  let n = 0;
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    ++n;
    let i = value <= grid[0] ? 0 : Math.min(grid.length, Math.ceil((Math.log(value) - low) / step));
    // The logarithm may miss by its last bit: the grid decides.
    while (i > 0 && value <= grid[i - 1]) --i;
    while (i < grid.length && value > grid[i]) ++i;
    ++counts[i];
  }
  if (n === 0) return null;
  const out = new Float64Array(grid.length);
  for (let i = 0, sum = 0; i < grid.length; ++i) out[i] = (sum += counts[i]) / n;
  return out;
}

/// Least and largest defined value above 0; null if there is none.
export function positiveRange(all: Iterable<Float64Array>): [number, number] | null {
  let least = Infinity;
  let most = 0;
  for (const values of all)
    for (const value of values) {
      if (value > 0 && value < least) least = value;
      if (value > most && value < Infinity) most = value;
    }
  return most > 0 ? [least, most] : null;
}
