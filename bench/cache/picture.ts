import type { CacheResult } from './figures.ts';

const WIDTH = 760;
const LABEL = 190;
const ROOM = WIDTH - LABEL - 90;
const BAR = 16;

/** Means per contender as an SVG document: a group per kind of session, a bar per contender; the line is one session each. */
export function renderBars(results: readonly CacheResult[]): string {
  const groups = Map.groupBy(results, ({ sessions, questions }) => `${sessions}, ${questions} to 1`);
  const parts: string[] = [];
  let y = 44;
  for (const [title, group] of groups) {
    parts.push(`<text x="16" y="${y + 14}" font-weight="600">${title}: questions to edits</text>`);
    y += 22;
    for (const [contender, row] of Map.groupBy(group, (one) => one.contender)) {
      parts.push(...renderBar(contender, row, y));
      y += BAR + 5;
    }
    y += 14;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y}" viewBox="0 0 ${WIDTH} ${y}" font-family="system-ui, sans-serif" font-size="12" fill="#111111">`,
    `<rect width="${WIDTH}" height="${y}" fill="#ffffff"/>`,
    '<text x="16" y="26" font-weight="700" font-size="13">Cost of a session relative to no cache: mean, dots = sessions</text>',
    ...parts,
    '</svg>\n',
  ].join('\n');
}

function renderBar(contender: string, row: readonly CacheResult[], y: number): string[] {
  const mean = row.reduce((sum, { cost }) => sum + cost, 0) / row.length;
  const x = (cost: number): string => (LABEL + ROOM * cost).toFixed(1);
  const dots = row.map(({ cost }) => `<circle cx="${x(cost)}" cy="${y + BAR / 2}" r="2.5" fill="#111111"/>`);
  const isOurs = /^(?:cache-aware|append-only|stability)/.test(contender);
  return [
    `<text x="16" y="${y + 12}">${contender}</text>`,
    `<rect x="${LABEL}" y="${y}" width="${(ROOM * mean).toFixed(1)}" height="${BAR}" fill="${isOurs ? '#1f6f5c' : '#b9bdc4'}"/>`,
    ...dots,
    `<text x="${LABEL + ROOM + 30}" y="${y + 12}">${mean.toFixed(3)}</text>`,
  ];
}
