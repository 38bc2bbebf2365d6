import { METRICS, formatMetric } from './metrics.ts';
import { describeCase, type Result } from './results.ts';

const WIDTH = 760;
const LABEL_WIDTH = 120;
const BAR_HEIGHT = 20;
const GAP = 6;
const VALUE_WIDTH = 150;
const COLORS: Readonly<Record<string, string>> = {
  skein: '#1f6f5c',
  'plain-encode': '#8a8f98',
  langgraph: '#b5562f',
};

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
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y}" viewBox="0 0 ${WIDTH} ${y}" font-family="system-ui, sans-serif" font-size="13">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="${WIDTH}" height="${y}" fill="#ffffff"/>`,
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
    `<rect x="${x}" y="${y}" width="${width}" height="${BAR_HEIGHT}" fill="${COLORS[contender] ?? '#4a6fa5'}"/>`,
    `<line x1="${at(spread[0])}" y1="${middle}" x2="${at(spread[1])}" y2="${middle}" stroke="#111111" stroke-width="2"/>`,
    text({
      x: Number(at(Math.max(value, spread[1]))) + 8,
      y: y + 15,
      content: `${formatMetric(metric, value)} (${range})`,
    }),
  ];
}

type Text = { readonly x: number; readonly y: number; readonly content: string; readonly weight?: number };

function text({ x, y, content, weight = 400 }: Text): string {
  return `<text x="${x}" y="${y}" font-weight="${weight}" fill="#111111">${escapeXml(content)}</text>`;
}

function escapeXml(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
