/*
 * Items: how fast they are parsed, verified, loaded and searched. In one process, which warms up first; a run opens the
 * project anew and makes its index anew. See README.md for what is measured. `node bench/items.bench.ts [options]`
 */
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { wholeNumber } from './arguments.ts';
import { createItemProject, type ItemProject } from './item-project.ts';
import { measureSearch } from './item-search.ts';
import { measureCache, measureTexts } from './item-speed.ts';
import { makeItems } from './item-texts.ts';
import type { Measured } from './job.ts';
import { runSeries } from './series.ts';

const USAGE = `Usage: node bench/items.bench.ts [options]
  --items N          items of the project, a third of each kind (default 10000)
  --runs N           runs, of which the median counts (default 3)
  --json             print the results as JSON
  --scratch FOLDER   where the project is made (default: the temporary folder)`;

try {
  await main(readOptions());
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 2;
}

type Options = ReturnType<typeof readOptions>;

async function main({ items, runs, json, scratch }: Options): Promise<void> {
  using project = createItemProject(makeItems(items), scratch);
  warmUp(project);
  await runSeries({ scenario: 'items', items, runs, json }, () => measureOnce(project));
}

async function measureOnce(project: ItemProject): Promise<Measured> {
  const services = project.open();
  try {
    const speeds = { ...measureTexts(project, services), ...measureCache(project, services) };
    const search = await measureSearch(services, project.signed.length);
    return { metrics: { ...speeds, ...search.metrics }, problems: search.problems };
  } finally {
    services.close();
  }
}

/** Once over the texts, so that no run is the one in which the code is compiled. */
function warmUp(project: ItemProject): void {
  const services = project.open();
  try {
    measureTexts(project, services);
  } finally {
    services.close();
  }
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      items: { type: 'string', default: '10000' },
      runs: { type: 'string', default: '3' },
      json: { type: 'boolean', default: false },
      scratch: { type: 'string', default: tmpdir() },
    },
  });
  return {
    items: wholeNumber('items', values.items, 3),
    runs: wholeNumber('runs', values.runs, 1),
    json: values.json,
    scratch: values.scratch,
  };
}
