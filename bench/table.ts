import { formatMetric, METRICS } from './metrics.ts';
import { describeCase, type Result } from './results.ts';

/** The results as text: a block per case, a row per metric, a column per contender; spreads in brackets. */
export function renderTable(results: readonly Result[]): string {
  const blocks = Map.groupBy(results, ({ scenario, params }) => `${scenario}: ${describeCase(params)}`);
  return [...blocks].map(([title, block]) => `${title}\n${renderBlock(block)}`).join('\n\n');
}

function renderBlock(results: readonly Result[]): string {
  const contenders = [...new Set(results.map(({ contender }) => contender))];
  const metrics = [...new Set(results.map(({ metric }) => metric))];
  const rows = metrics.map((metric) => [
    labelOf(metric),
    ...contenders.map((contender) =>
      cellOf(results.find((result) => result.metric === metric && result.contender === contender)),
    ),
  ]);
  const table = [['', ...contenders], ...rows];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table
    .map((row) => row.map((cell, column) => pad(cell, widths[column] ?? 0, column)).join('  '))
    .map((line) => `  ${line}`.trimEnd())
    .join('\n');
}

function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}

/** A metric as it is called in a table. */
export function labelOf(metric: string): string {
  const { label, unit } = METRICS[metric] ?? { label: metric, unit: '' };
  return unit === '' ? label : `${label}, ${unit}`;
}

/** A number as it stands in a table. */
export function cellOf(result: Result | undefined): string {
  if (!result) return '–';
  const { metric, value, spread, runs } = result;
  const text = formatMetric(metric, value);
  if (runs < 2) return text;
  return `${text} (${spread.map((end) => formatMetric(metric, end)).join('–')})`;
}
