import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** What V8 writes, as far as it is looked at. */
export type Profile = {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};
type ProfileNode = {
  readonly id: number;
  readonly callFrame: CallFrame;
  readonly children?: readonly number[];
};
type CallFrame = {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
};

/** Where code belongs, by its file; the first that fits. */
const LAYERS: readonly (readonly [string, RegExp])[] = [
  ['machine', /^machines\/|^xstate\//],
  [
    'channel',
    /^src\/core\/(batched-port|protocol|store-client|store-wire|small-copy)\.|^src\/host\/workers\/|^piscina\/|^node:internal\/per_context\/messageport/,
  ],
  [
    'store',
    /^src\/store\/|^better-sqlite3\/|^workers\/store|^src\/core\/(events|store|store-\w+|redact-\w+|redactor)\.|^src\/thread\/services\/journal/,
  ],
  ['prompt', /^src\/(prompt|items|symbols)\/|^src\/thread\/(conversation|tiers)\//],
  ['provider', /^src\/providers\//],
  ['tools', /^src\/(tools|thread\/tools)\//],
  ['hooks', /^src\/thread\/hooks\//],
  ['thread, the rest', /^src\/thread\/|^workers\/thread/],
  ['host, the rest', /^src\/host\//],
  ['configuration', /^src\/config\//],
  ['bench', /^bench\//],
];
/** Time in which nothing is done. */
const IDLE = '(idle)';
const COLLECTOR = '(garbage collector)';
const OTHER = 'none of them';

/** A function that time was spent in. */
export type Spent = { readonly ms: number; readonly name: string; readonly place: string; readonly layer: string };

/**
 * Where a thread's own time went, sample by sample. What stands in no layer (Node, a library, what is built in) counts for
 * the nearest caller that does: to encode an event is the store's, whoever does the encoding.
 */
export function spentIn(
  { nodes, samples, timeDeltas }: Profile,
  placeOf: (frame: CallFrame) => string = place,
): Spent[] {
  const spent = new Map<number, Omit<Spent, 'ms'>>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const below = new Set(nodes.flatMap(({ children }) => children ?? []));
  const walk = (node: ProfileNode, above: string): void => {
    const { functionName } = node.callFrame;
    const where = placeOf(node.callFrame);
    const layer = functionName === COLLECTOR ? 'garbage collection' : (layerOf(where) ?? above);
    spent.set(node.id, { name: functionName || '(anonymous)', place: where, layer });
    for (const child of node.children ?? []) {
      const found = byId.get(child);
      if (found) walk(found, layer);
    }
  };
  for (const node of nodes) if (!below.has(node.id)) walk(node, OTHER);
  return samples.flatMap((id, index) => {
    const one = spent.get(id);
    return one && one.name !== IDLE ? [{ ...one, ms: (timeDeltas[index] ?? 0) / 1_000 }] : [];
  });
}

function layerOf(where: string): string | undefined {
  return LAYERS.find(([, files]) => files.test(where))?.[0];
}

/** Sums time up, the most first. */
export function sumBy(spent: readonly Spent[], keyOf: (one: Spent) => string): (readonly [string, number])[] {
  const sums = new Map<string, number>();
  for (const one of spent) sums.set(keyOf(one), (sums.get(keyOf(one)) ?? 0) + one.ms);
  return [...sums].toSorted(([, a], [, b]) => b - a);
}

const maps = new Map<string, SourceMap | undefined>();

/** A file as it is known in the repository; what was bundled is found by its source map. */
function place({ url, lineNumber, columnNumber }: CallFrame): string {
  const source = mapOf(url)?.findEntry(lineNumber, columnNumber);
  return shortOf(source && 'originalSource' in source ? source.originalSource : url);
}

function mapOf(url: string): SourceMap | undefined {
  if (!url.startsWith('file:') || url.includes('/node_modules/')) return undefined;
  if (!maps.has(url)) {
    const path = `${fileURLToPath(url)}.map`;
    maps.set(url, existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : undefined);
  }
  return maps.get(url);
}

const ROOT = new URL('..', import.meta.url).href;

/** Without the folders above: those of the repository, or those that packages are installed in. */
export function shortOf(url: string): string {
  const installed = /^.*\/node_modules\/(?!skein\/)(.*)$/.exec(url)?.[1];
  if (installed !== undefined) return installed;
  const inPackage = url.replace(/^.*\/node_modules\/skein\//, '').replace(ROOT, '');
  // Sources of a bundle are told from where it is.
  return inPackage.replace(/^(?:dist\/|(?:\.\.\/)+)/, '');
}
