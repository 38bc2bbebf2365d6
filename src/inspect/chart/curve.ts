type Point = { readonly x: number; readonly y: number };

/** An SVG path through points, round at each of them but the first and the last. */
export function curveThrough(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.at(-1);
  if (!first || !last) return '';
  const bends = rest.slice(0, -1).map((point, at) => {
    const next = rest[at + 1] ?? last;
    return `Q${xy(point)} ${xy(between(point, next))}`;
  });
  return `M${xy(first)}${bends.join('')}L${xy(last)}`;
}

function between(one: Point, other: Point): Point {
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
}

function xy({ x, y }: Point): string {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}
