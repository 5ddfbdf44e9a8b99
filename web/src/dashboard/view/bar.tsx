interface Props {
  label: string;
  value: number;
  most: number;
  /// Where something stands on the bar, with its name.
  marks?: { at: number; name: string; dashed?: boolean }[];
}

/// How much of something there is, as a bar; what it says stands beside it in words.
export function Bar({ label, value, most, marks = [] }: Props) {
  const share = (v: number) => (most > 0 ? Math.min(100, Math.max(0, (v / most) * 100)) : 0);
  return (
    <svg class="bar" role="img" aria-label={label} width="100%" height="14" preserveAspectRatio="none">
      <rect class="ground" x="0" y="3" width="100%" height="8" rx="2" />
      <rect class="filled" x="0" y="3" width={`${share(value)}%`} height="8" rx="2" />
      {marks.map((mark) => (
        <line class={mark.dashed ? 'mark dashed' : 'mark'} x1={`${share(mark.at)}%`} x2={`${share(mark.at)}%`} y1="0" y2="14" />
      ))}
    </svg>
  );
}
