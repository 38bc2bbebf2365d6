import { METRICS, formatMetric } from './metrics.ts';
import { describeCase, type Result } from './results.ts';

const WIDTH = 760;
const LABEL_WIDTH = 120;
const BAR_HEIGHT = 20;
const GAP = 6;
const VALUE_WIDTH = 150;
/** What the page of a chart has as its style: colours by what a bar stands for, on light and on dark ground. */
export const CHART_STYLE = `
:root { --ink: #1b1f24; --ground: #ffffff; --skein: #1f6f5c; --bound: #8a8f98; --other: #b5562f; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8eb; --ground: #14171a; --skein: #4fb89c; --bound: #7c838d; --other: #d98a63; }
}
svg text { fill: var(--ink); }
svg .ground { fill: var(--ground); }
svg .skein { fill: var(--skein); }
svg .bound { fill: var(--bound); }
svg .other { fill: var(--other); }
svg line { stroke: var(--ink); stroke-width: 2; }
`;
/** Those that do no more than has to be done. */
const BOUNDS = new Set(['plain', 'plain-encode', 'undici', 'child-process']);

/** A bar chart of one metric as an SVG document: a group per case, a bar per contender, a line for the spread. */
export function renderChart(results: readonly Result[], metric: string): string {
  const shown = results.filter((result) => result.metric === metric);
  const groups = [...Map.groupBy(shown, ({ params }) => describeCase(params))];
  const largest = Math.max(1e-9, ...shown.map(({ spread }) => spread[1]));
  const parts: string[] = [];
  let y = 44;
  for (const [title, bars] of groups) {
    parts.push(text({ x: 16, y: y + 14, content: title, weight: 600 }));
    y += 24;
    for (const bar of bars) {
      parts.push(...renderBar(bar, y, largest));
      y += BAR_HEIGHT + GAP;
    }
    y += 14;
  }
  const { label, unit } = METRICS[metric] ?? { label: metric, unit: '' };
  const title = `${label}${unit === '' ? '' : ` (${unit})`}: median, line = smallest to largest run`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y}" viewBox="0 0 ${WIDTH} ${y}" role="img" font-family="system-ui, sans-serif" font-size="13">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect class="ground" width="${WIDTH}" height="${y}"/>`,
    text({ x: 16, y: 26, content: title, weight: 700 }),
    ...parts,
    '</svg>\n',
  ].join('\n');
}

function renderBar({ contender, metric, value, spread }: Result, y: number, largest: number): string[] {
  const room = WIDTH - LABEL_WIDTH - VALUE_WIDTH - 32;
  const x = 16 + LABEL_WIDTH;
  const at = (amount: number): string => (x + (room * amount) / largest).toFixed(1);
  const width = Math.max(1, (room * value) / largest).toFixed(1);
  const middle = y + BAR_HEIGHT / 2;
  const range = spread.map((end) => formatMetric(metric, end)).join('–');
  return [
    text({ x: 16, y: y + 15, content: contender }),
    `<rect x="${x}" y="${y}" width="${width}" height="${BAR_HEIGHT}" class="${colourOf(contender)}"/>`,
    `<line x1="${at(spread[0])}" y1="${middle}" x2="${at(spread[1])}" y2="${middle}"/>`,
    text({
      x: Number(at(Math.max(value, spread[1]))) + 8,
      y: y + 15,
      content: `${formatMetric(metric, value)} (${range})`,
    }),
  ];
}

function colourOf(contender: string): 'skein' | 'bound' | 'other' {
  if (contender.startsWith('skein')) return 'skein';
  return BOUNDS.has(contender) ? 'bound' : 'other';
}

type Text = { readonly x: number; readonly y: number; readonly content: string; readonly weight?: number };

function text({ x, y, content, weight = 400 }: Text): string {
  return `<text x="${x}" y="${y}" font-weight="${weight}">${escapeXml(content)}</text>`;
}

/** A text as it stands in SVG and HTML. */
export function escapeXml(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
