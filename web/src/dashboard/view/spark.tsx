const width = 300;
const height = 44;

interface Props {
  values: readonly (number | null)[];
  /// Where the line ends if there are fewer values: so many make the whole width.
  full: number;
  label: string;
  mark?: number | null;
}

/// The course of a value up to now, without axes. At most as many points as there are pixels.
export function Spark({ values, full, label, mark }: Props) {
  const top = Math.max(1e-9, mark ?? 0, ...values.map((v) => v ?? 0)) * 1.06;
  const y = (v: number) => (height - 1 - (v / top) * (height - 2)).toFixed(1);
  return (
    <svg class="spark" role="img" aria-label={label} viewBox={`0 0 ${width} ${height}`} width="100%" height={height} preserveAspectRatio="none">
      {mark != null && <line class="mark" x1="0" x2={width} y1={y(mark)} y2={y(mark)} />}
      <path d={pathOf(values, full, y)} />
    </svg>
  );
}

/// Steps with holes where nothing is known; of values that share a pixel the largest.
export function pathOf(values: readonly (number | null)[], full: number, y: (v: number) => string): string {
  const step = width / Math.max(1, full);
  const first = width - values.length * step;
  let path = '';
  let pen = false;
  let at = -1;
  let most = -Infinity;
  const put = (x: number, v: number) => {
    path += `${pen ? 'L' : 'M'}${x.toFixed(1)} ${y(v)}`;
    pen = true;
  };
  values.forEach((value, i) => {
    const x = Math.floor(first + i * step);
    if (value === null) {
      pen = false;
      return;
    }
    most = x === at ? Math.max(most, value) : value;
    if (x !== at || i === values.length - 1) put(first + i * step, most);
    at = x;
  });
  if (values.length > 0 && values[values.length - 1] !== null) put(width, values[values.length - 1]!);
  return path;
}
