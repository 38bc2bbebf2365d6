import * as z from 'zod';
import type { ItemKey, TierAssignment, TierEvent, TierItem, TierPolicy } from '../../core/assembly.ts';
import { beginsHistory, byKey, isFile, isHistory, isSymbol, isTree, Key, pathOf } from './policy-keys.ts';

/** When the log is written anew. */
export interface AppendOnlyOptions {
  /** Relative prices of a token that is written to the cache and of one that is read from it. */
  readonly prices: { readonly write: number; readonly read: number };
  /** Share of the map that may be out of date when the history is compacted; above, the map is written anew too. */
  readonly staleMap: number;
  /** How many times the price of a new log may be paid for reading dead text before the log is written anew. */
  readonly patience: number;
  /**
   * What is added for a file that was edited. `said`: nothing, since the message with the edit stands in the log, behind the
   * text that it changes; this holds for changes told by an `edited` event, others are added whole. `whole`: its new text.
   */
  readonly edits: 'said' | 'whole';
}

/** Anthropic's prices. */
export const APPEND_ONLY: AppendOnlyOptions = {
  prices: { write: 1.25, read: 0.1 },
  staleMap: 0.2,
  patience: 2,
  edits: 'said',
};

const Entry = z.tuple([Key, z.string(), z.number()]);
const State = z.strictObject({
  /** Key, hash and tokens of what stands in the system message, and after it. */
  map: z.array(Entry).default([]),
  log: z.array(Entry).default([]),
  dropped: z.array(z.string()).default([]),
  wasted: z.number().default(0),
  /** Hash that a key's entry has come to by edits which stand in the log behind it. */
  edited: z.record(z.string(), z.string()).default({}),
});
type Entry = z.infer<typeof Entry>;

/**
 * A log that only grows: the map and the list of all files stand in L0, everything since in L1 in the order in which it came.
 * What a file was stays where it is, under the key `file:<path>#<hash>`: whoever renders the assignment keeps those bytes for
 * as long as they are named. The list is named again when it has changed, and sent as what has changed (`tree:files`).
 *
 * 1. The log is written anew when messages in it are gone, when the cache is cold, and when reading what nobody needs any
 *    longer has cost more than writing the rest again would.
 * 2. Of each key, the last entry is current. What an item was is named as often as it was sent.
 */
export class AppendOnlyPolicy implements TierPolicy {
  readonly #options: AppendOnlyOptions;
  #state: z.infer<typeof State>;

  constructor(options: AppendOnlyOptions = APPEND_ONLY, state?: unknown) {
    this.#options = options;
    this.#state = State.parse(state ?? {});
  }

  state(): unknown {
    return this.#state;
  }

  assign(items: readonly TierItem[], events: readonly TierEvent[]): TierAssignment {
    this.#follow(events);
    const present = byKey(items);
    this.#noteEdits(events, present);
    if (this.#state.map.length === 0 || events.some(({ kind }) => kind === 'cache_cold')) this.#startAnew(items);
    else if (this.#hasLost(items) || this.#isSpent(present)) this.#rebuild(items, present);
    else this.#append(items);
    const { map, log } = this.#state;
    const last = new Map([...map, ...log].map((entry) => [entry[0], entry]));
    // An older entry with today's bytes stands in front of the current one.
    const keyOf = (entry: Entry): ItemKey =>
      last.get(entry[0]) === entry && isCurrent(present, entry[0], entry[1]) ? entry[0] : olderKey(entry);
    return { tiers: { L0: map.map(keyOf), L1: log.map(keyOf), L2: [], L3: [] }, tail: [] };
  }

  #follow(events: readonly TierEvent[]): void {
    const dropped = new Set(this.#state.dropped);
    for (const event of events) {
      if (event.kind === 'selected') dropped.delete(event.path);
      if (event.kind === 'dropped') dropped.add(event.path);
    }
    this.#state.dropped = [...dropped];
  }

  /** An edit counts as said if its file stands in the log; its message is about to be added there. */
  #noteEdits(events: readonly TierEvent[], present: ReadonlyMap<ItemKey, TierItem>): void {
    if (this.#options.edits === 'whole') return;
    const logged = new Set(this.#state.log.map(([key]) => key));
    for (const event of events) {
      if (event.kind !== 'edited' || !logged.has(event.key)) continue;
      const item = present.get(event.key);
      if (item) this.#state.edited[event.key] = item.hash;
    }
  }

  #startAnew(items: readonly TierItem[]): void {
    const files = this.#wanted(items);
    const shown = new Set(files.map(({ key }) => pathOf(key)));
    const symbols = items.filter(({ key }) => isSymbol(key) && !shown.has(pathOf(key)));
    const tree = items.filter(({ key }) => isTree(key));
    this.#state = { ...this.#state, map: [...symbols, ...tree].map(entryOf), log: [], wasted: 0, edited: {} };
    this.#append(items);
  }

  /** Messages are gone, or others stand in front of them. */
  #hasLost(items: readonly TierItem[]): boolean {
    return !beginsHistory(this.#state.log.map(([key]) => key).filter(isHistory), items);
  }

  /** The dead part of the log has cost what a new one would. */
  #isSpent(present: ReadonlyMap<ItemKey, TierItem>): boolean {
    const { log, dropped, edited } = this.#state;
    const gone = new Set(dropped);
    let live = 0;
    let dead = 0;
    for (const [key, hash, tokens] of log) {
      // A change of the list is small, whatever the list is.
      if (isTree(key)) continue;
      if ((isCurrent(present, key, hash) || isCurrent(present, key, edited[key] ?? '')) && !gone.has(pathOf(key)))
        live += tokens;
      else dead += tokens;
    }
    const { write, read } = this.#options.prices;
    this.#state.wasted += dead * read;
    return this.#state.wasted > this.#options.patience * live * (write - read);
  }

  #rebuild(items: readonly TierItem[], present: ReadonlyMap<ItemKey, TierItem>): void {
    const map = this.#state.map.filter(([key]) => !isTree(key));
    const sizeOf = (entries: readonly Entry[]): number => entries.reduce((sum, [, , tokens]) => sum + tokens, 0);
    const stale = map.filter(([key, hash]) => !isCurrent(present, key, hash));
    if (sizeOf(stale) > sizeOf(map) * this.#options.staleMap) return this.#startAnew(items);
    this.#state = { ...this.#state, log: [], wasted: 0, edited: {} };
    this.#append(items);
  }

  /** First what was said, then what came of it. */
  #append(items: readonly TierItem[]): void {
    const { map, log, edited } = this.#state;
    const latest = new Map([...map, ...log].map(([key, hash]) => [key, edited[key] ?? hash]));
    const files = this.#wanted(items);
    const shown = new Set(items.filter(({ key, hash }) => latest.get(key) === hash).map(({ key }) => key));
    const isNew = ({ key, hash }: TierItem): boolean => latest.get(key) !== hash;
    const current = new Set(files.map(({ key }) => key));
    const symbols = items.filter(
      (item) =>
        isSymbol(item.key) &&
        isNew(item) &&
        !current.has(`file:${pathOf(item.key)}`) &&
        !shown.has(`file:${pathOf(item.key)}`),
    );
    const history = items.filter((item) => isHistory(item.key) && isNew(item));
    const tree = items.filter((item) => isTree(item.key) && isNew(item));
    const texts = files.filter(isNew);
    const starts = log.length === 0;
    const added = starts ? [...symbols, ...tree, ...texts, ...history] : [...history, ...symbols, ...tree, ...texts];
    log.push(...added.map(entryOf));
    // What it had come to before is in front of its whole text now.
    for (const { key } of added) delete edited[key];
  }

  #wanted(items: readonly TierItem[]): TierItem[] {
    const dropped = new Set(this.#state.dropped);
    return items.filter(({ key }) => isFile(key) && !dropped.has(pathOf(key)));
  }
}

function isCurrent(present: ReadonlyMap<ItemKey, TierItem>, key: ItemKey, hash: string): boolean {
  return present.get(key)?.hash === hash;
}

function olderKey([key, hash]: Entry): ItemKey {
  return `${key}#${hash}`;
}

function entryOf({ key, hash, tokens }: TierItem): Entry {
  return [key, hash, tokens];
}
