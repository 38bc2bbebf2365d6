import { setImmediate as turn } from 'node:timers/promises';
import type { SearchQuery } from '../src/items/search/search-query.ts';
import { NO_ITEM } from '../src/tools/indexed-items.ts';
import type { ItemServices } from '../src/tools/item-services.ts';
import { PHRASE, wordOf } from './item-texts.ts';
import type { Measured } from './job.ts';

/** What people and models ask for, in turn: common and rare words, every operator, every filter. */
const QUERIES: readonly SearchQuery[] = [
  { text: wordOf(1) },
  { text: wordOf(900) },
  { text: wordOf(15_000) },
  { text: `${wordOf(2)} ${wordOf(3)}` },
  { text: `${wordOf(4)} OR ${wordOf(700)}` },
  { text: `${wordOf(5)} -${wordOf(6)}` },
  { text: `"${PHRASE}"` },
  { text: `${wordOf(300).slice(0, 3)}*` },
  { text: 'item-42' },
  { text: `${wordOf(7)} (${wordOf(8)} OR ${wordOf(9)})`, kinds: ['directive'] },
  { text: wordOf(1), category: 'area-7' },
  { text: wordOf(1), kinds: ['tool'], source: 'project', limit: 100 },
];
const ROUNDS = 100;

/** How long a first index takes, a look that finds nothing changed, and a query. */
export async function measureSearch({ index }: ItemServices, expected: number): Promise<Measured> {
  const first = await timed(() => index.refresh());
  const again = await timed(() => index.refresh());
  const times: number[] = [];
  let found = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const query of QUERIES) {
      const { ms, value } = await timed(() => index.search(query));
      times.push(ms);
      found += value.hits.length;
      // As for those who wait for an answer on the event loop: what a search leaves to be done gets its turn.
      await turn();
    }
  }
  times.sort((one, other) => one - other);
  const { added, skipped, notes } = first.value;
  const lost = skipped.filter(({ failure }) => failure.detail?.['reason'] !== NO_ITEM);
  const problems = [
    ...(added < expected ? [`${added} items are in the index; ${expected} were expected`] : []),
    ...lost.map(({ id, failure }) => `${id} is not in the index: ${failure.message}`),
    ...(again.value.added + again.value.changed > 0 ? ['the second look found changes'] : []),
    ...(found < times.length ? ['queries found too little'] : []),
    ...notes,
  ];
  const metrics = {
    index_time: first.ms / 1000,
    index_cpu: first.cpuMs / 1000,
    refresh_unchanged: again.ms,
    query_p50: at(times, 0.5),
    query_p95: at(times, 0.95),
    query_max: at(times, 1),
  };
  return { metrics, problems };
}

type Timed<Value> = { readonly ms: number; readonly cpuMs: number; readonly value: Value };

async function timed<Value>(work: () => Promise<Value>): Promise<Timed<Value>> {
  const begin = performance.now();
  const before = process.cpuUsage();
  const value = await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - begin, cpuMs: (user + system) / 1000, value };
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
