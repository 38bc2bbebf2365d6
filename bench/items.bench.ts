/*
 * Items: how fast they are parsed, verified, loaded and searched. In one process, which warms up first; a run opens the
 * project anew and makes its index anew. See README.md for what is measured. `node bench/items.bench.ts [options]`
 */
import { createItemProject, type ItemProject } from './item-project.ts';
import { measureSearch } from './item-search.ts';
import { measureCache, measureTexts } from './item-speed.ts';
import { makeItems } from './item-texts.ts';
import type { Measured } from './job.ts';
import { readSeriesOptions } from './series-options.ts';
import { runSeries } from './series.ts';

const { sizes, runs, json, scratch } = readSeriesOptions('items', {
  items: { about: 'items of the project, a third of each kind', standard: 10_000, least: 3 },
});
const { items } = sizes;
using project = createItemProject(makeItems(items), scratch);
warmUp(project);
await runSeries({ scenario: 'items', code: 'src', items, runs, json }, () => measureOnce(project));

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
