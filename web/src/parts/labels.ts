interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

const hits = (a: Box, b: Box) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/// Places for labels beside points: right, left, above or below, whichever is free and inside the frame. A label that
/// has no place gets null; earlier points come first.
export function placeLabels(points: readonly { x: number; y: number; w: number }[], frame: Box, height = 13, gap = 7): ({ x: number; y: number } | null)[] {
  const taken: Box[] = points.map(({ x, y }) => ({ x: x - 4, y: y - 4, w: 8, h: 8 }));
  return points.map(({ x, y, w }) => {
    const spots = [
      { x: x + gap, y: y - height / 2 },
      { x: x - gap - w, y: y - height / 2 },
      { x: x - w / 2, y: y - gap - height },
      { x: x - w / 2, y: y + gap },
      { x: x + gap - 2, y: y - gap - height + 3 },
      { x: x + gap - 2, y: y + gap - 3 },
      { x: x - gap + 2 - w, y: y - gap - height + 3 },
      { x: x - gap + 2 - w, y: y + gap - 3 },
    ];
    for (const spot of spots) {
      const box = { ...spot, w, h: height };
      const inside = box.x >= frame.x && box.x + w <= frame.x + frame.w && box.y >= frame.y && box.y + height <= frame.y + frame.h;
      if (!inside || taken.some((other) => hits(box, other))) continue;
      taken.push(box);
      return { x: spot.x, y: spot.y + height / 2 };
    }
    return null;
  });
}
