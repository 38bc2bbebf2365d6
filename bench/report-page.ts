import { CHART_STYLE, escapeXml, renderChart } from './chart.ts';
import type { MachineInfo } from './machine.ts';
import { describeCase, type Result } from './results.ts';
import type { Kept, Report, Stored } from './stored.ts';
import { cellOf, labelOf } from './table.ts';
import { checkTargets, markOf } from './targets.ts';

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

/** All results as one HTML page that needs nothing else: targets, and each scenario's pictures and numbers. */
export function renderPage(files: readonly Stored[]): string {
  const results = files.flatMap(({ reports }) => reports.flatMap((report) => report.results));
  const machines = new Set(files.flatMap(({ reports }) => reports.map(({ machine }) => describeMachineInfo(machine))));
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><title>Skein: what was measured</title>',
    '<meta name="viewport" content="width=device-width">',
    `<style>${STYLE}</style></head><body>`,
    '<h1>Skein: what was measured</h1>',
    ...[...machines].map((machine) => `<p>${escapeXml(machine)}</p>`),
    '<p>Medians; in brackets the smallest and the largest run.</p>',
    '<h2>Targets</h2>',
    renderTargets(results),
    ...files.flatMap(renderFile),
    '</body></html>\n',
  ].join('\n');
}

/** The scenarios of a file, as a rule one: when and of what it was measured, and which later runs have not replaced that. */
function renderFile({ reports, kept }: Stored): string[] {
  const results = reports.flatMap((report) => report.results);
  const scenarios = [...Map.groupBy(results, ({ scenario }) => scenario)];
  return scenarios.map(([name, found]) =>
    renderScenario(name, found, [...reports.map(originOf), ...kept.map(keptLine)]),
  );
}

function originOf({ date, commit, results }: Report): string {
  const cases = new Set(results.map(({ params }) => describeCase(params)));
  return `${describeState(date, commit)}: ${[...cases].join('; ')}`;
}

function keptLine({ case: name, date, commit, why }: Kept): string {
  return `A later run (${describeState(date, commit)}) has not replaced what is there of ${name}: ${why}`;
}

function describeState(date: string | undefined, commit: string | undefined): string {
  return date === undefined ? 'day and commit unknown' : `${date.slice(0, 16).replace('T', ' ')} UTC, ${commit}`;
}

function describeMachineInfo({ cores, processor, memoryGb, platform, node }: MachineInfo): string {
  return `${cores} cores of ${processor}, ${memoryGb} GB, ${platform}, Node ${node}`;
}

function renderTargets(results: readonly Result[]): string {
  const rows = checkTargets(results).map((line) => {
    const cells = `<td>${escapeXml(line.text)}</td><td>${markOf(line)}</td>`;
    return line.reached === false ? `<tr class="missed">${cells}</tr>` : `<tr>${cells}</tr>`;
  });
  return `<div class="wide"><table>${rows.join('\n')}</table></div>`;
}

function renderScenario(name: string, results: readonly Result[], notes: readonly string[]): string {
  const measured = (PICTURED[name] ?? []).filter((metric) => results.some((result) => result.metric === metric));
  const cases = Map.groupBy(results, ({ params }) => describeCase(params));
  return [
    `<h2>${escapeXml(name)}</h2>`,
    ...notes.map((note) => `<p>${escapeXml(note)}</p>`),
    ...measured.map((metric) => renderChart(results, metric)),
    ...[...cases].map(([title, found]) => `<h3>${escapeXml(title)}</h3>\n${renderNumbers(found)}`),
  ].join('\n');
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
