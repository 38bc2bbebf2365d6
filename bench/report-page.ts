import { CHART_STYLE, escapeXml, renderChart } from './chart.ts';
import type { MachineInfo } from './machine.ts';
import { describeCase, type Result } from './results.ts';
import type { LeftOut, Report, Stored } from './stored.ts';
import { cellOf, labelOf } from './table.ts';
import { checkTargets, markOf, type TargetLine } from './targets.ts';

/** The metrics of which a scenario has a picture. */
const PICTURED: Readonly<Record<string, readonly string[]>> = {
  fanout: ['cpu_per_turn', 'threads_per_second'],
  scale: ['cpu_per_thread', 'heap_per_thread'],
  spawn: ['spawn_late'],
  parked: ['heap_per_thread'],
  tree: ['cpu_per_thread'],
  pipeline: ['cpu_per_thread'],
  tools: ['calls_per_second'],
  cancel: ['cancel_latency', 'host_task_max'],
  resume: ['cpu_per_thread'],
  recover: ['recover_time'],
  mixed: ['small_wait'],
  stream: ['cpu_per_call'],
  store: ['events_per_second'],
  cache: ['cache_cost'],
};

const STYLE = `${CHART_STYLE}
body { margin: 2rem auto; max-width: 70rem; padding: 0 1rem; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 0.5rem 0 1.5rem; font-size: 13px; }
th, td { padding: 0.2rem 0.8rem 0.2rem 0; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
tr + tr { border-top: 1px solid color-mix(in srgb, var(--ink) 15%, transparent); }
.missed { color: var(--other); font-weight: 600; }
svg { max-width: 100%; height: auto; }
`;

const TITLE = '<title>Skein: what was measured</title>';

/** Whether a page is one of these. */
export function isPage(html: string): boolean {
  return html.includes(TITLE);
}

/** All results as one HTML page that needs nothing else: targets, and each scenario's pictures and numbers. */
export function renderPage(files: readonly Stored[]): string {
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8">${TITLE}`,
    '<meta name="viewport" content="width=device-width">',
    `<style>${STYLE}</style></head><body>`,
    '<h1>Skein: what was measured</h1>',
    '<p>Medians; in brackets the smallest and the largest run. Sizes and contenders are compared within one run.</p>',
    '<h2>Targets</h2>',
    `<div class="wide"><table>${files.flatMap(renderTargets).join('\n')}</table></div>`,
    ...files.flatMap(renderFile),
    '</body></html>\n',
  ].join('\n');
}

/** Each target as the newest run has it that measured what it takes. */
function renderTargets({ reports }: Stored): string[] {
  const shown = new Map<string, string>();
  for (const report of reports.toReversed()) {
    for (const line of checkTargets(report.results)) {
      if (!shown.has(line.name)) shown.set(line.name, renderTarget(line, describeState(report)));
    }
  }
  // What is missing in every run alone.
  for (const { name } of checkTargets(reports.flatMap(({ results }) => results))) {
    if (!shown.has(name))
      shown.set(name, renderTarget({ name, text: `${name}: not of one run`, reached: undefined }, ''));
  }
  return [...shown.values()];
}

function renderTarget(line: TargetLine, origin: string): string {
  const cells = [line.text, markOf(line), origin].map((cell) => `<td>${escapeXml(cell)}</td>`).join('');
  return line.reached === false ? `<tr class="missed">${cells}</tr>` : `<tr>${cells}</tr>`;
}

/** A scenario: what was not stored of it, and what each run has found, the newest first. */
function renderFile({ reports, leftOut }: Stored): string[] {
  const name = reports.at(-1)?.results[0]?.scenario;
  if (name === undefined) return [];
  return [`<h2>${escapeXml(name)}</h2>`, ...leftOut.map(renderLeftOut), ...reports.toReversed().map(renderRun)];
}

function renderLeftOut({ case: name, why, ...state }: LeftOut): string {
  return `<p>${escapeXml(`Of a run (${describeState(state)}) ${name} was not stored: ${why}`)}</p>`;
}

function renderRun({ results, machine, ...state }: Report): string {
  const cases = Map.groupBy(results, ({ params }) => describeCase(params));
  const measured = new Set(results.map(({ metric }) => metric));
  const pictured = results[0] ? (PICTURED[results[0].scenario] ?? []) : [];
  return [
    `<p>${escapeXml(`${describeState(state)}; ${describeMachineInfo(machine)}`)}</p>`,
    ...pictured.filter((metric) => measured.has(metric)).map((metric) => renderChart(results, metric)),
    ...[...cases].map(([title, found]) => `<h3>${escapeXml(title)}</h3>\n${renderNumbers(found)}`),
  ].join('\n');
}

function describeState({ date, commit }: Pick<Report, 'date' | 'commit'>): string {
  return date === undefined ? 'day and commit unknown' : `${date.slice(0, 16).replace('T', ' ')} UTC, ${commit}`;
}

function describeMachineInfo({ cores, processor, memoryGb, platform, node }: MachineInfo): string {
  return `${cores} cores of ${processor}, ${memoryGb} GB, ${platform}, Node ${node}`;
}

function renderNumbers(results: readonly Result[]): string {
  const contenders = [...new Set(results.map(({ contender }) => contender))];
  const head = contenders.map((contender) => `<th>${escapeXml(contender)}</th>`).join('');
  const rows = [...Map.groupBy(results, ({ metric }) => metric)].map(([metric, found]) => {
    const cells = contenders.map(
      (name) => `<td>${escapeXml(cellOf(found.find((one) => one.contender === name)))}</td>`,
    );
    return `<tr><td>${escapeXml(labelOf(metric))}</td>${cells.join('')}</tr>`;
  });
  return `<div class="wide"><table><tr><th></th>${head}</tr>\n${rows.join('\n')}</table></div>`;
}
