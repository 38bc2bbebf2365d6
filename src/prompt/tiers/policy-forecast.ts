import * as z from 'zod';
import type { ItemKey, TierEvent, TierItem } from '../../core/assembly.ts';
import { isRecord } from '../../core/record.ts';
import { pathOf } from './policy-keys.ts';

/** What is taken for granted before a session has shown how it goes. The values come from the bench (`bench/cache.bench.ts`). */
export interface ForecastPriors {
  /** How much they weigh, in changes seen. */
  readonly weight: number;
  /** Probability that a block changes with the next change: its file was selected and not yet edited, edited, dropped. */
  readonly fresh: number;
  readonly edited: number;
  readonly dropped: number;
  /** How many blocks that were never touched one change touches. */
  readonly coldPerChange: number;
  /** Share of those that counts: they come in crowds, so that less of a row is hit than if each came alone. */
  readonly crowd: number;
  /** How much likelier a file is to be touched for each file of its folder that was, within so many changes. */
  readonly nearby: number;
  /** The same for each file of its name, whatever its endings and its folder: a test, a header, a story. */
  readonly named: number;
  readonly nearbyFor: number;
  /** Changes after which nothing more is learned from an age. */
  readonly oldest: number;
}

/** Where a block breaks when its file is selected, edited or dropped. */
export const STRICT_PRIORS: ForecastPriors = {
  weight: 2,
  fresh: 0.4,
  edited: 0.1,
  dropped: 0.12,
  coldPerChange: 3,
  crowd: 1,
  nearby: 5,
  named: 10,
  nearbyFor: 3,
  oldest: 1,
};

/** Where a block breaks only when it is not current any longer. */
export const REDUNDANT_PRIORS: ForecastPriors = {
  ...STRICT_PRIORS,
  weight: 4,
  fresh: 0.55,
  coldPerChange: 1.5,
  crowd: 0.85,
  oldest: 2,
};

const PHASES = ['fresh', 'edited', 'dropped'] as const;
const Count = z.tuple([z.number(), z.number()]);
const Trace = z.tuple([z.enum(PHASES), z.number()]);
type Trace = z.infer<typeof Trace>;

/** What a forecast remembers, as JSON. */
export const ForecastState = z.strictObject({
  changes: z.number().default(0),
  /** By path: what was last done to it, and with which change. Older releases wrote an object; a record has no `__proto__`. */
  traces: z.preprocess(entriesOf, z.array(z.tuple([z.string(), Trace]))).default([]),
  /** By kind, phase and age: how often such an item was there when something changed, and how often it changed. */
  counts: z.record(z.string(), Count).default({}),
  /** Blocks never touched before that changed. */
  cold: z.number().default(0),
});
/** What a forecast remembers. */
export type ForecastState = z.infer<typeof ForecastState>;

function entriesOf(value: unknown): unknown {
  return isRecord(value) ? Object.entries(value) : value;
}

/**
 * How likely each item is to change, learned from the session itself.
 *
 * 1. Time is counted in changes: turns at which something but the history is not what it was.
 * 2. What has been touched is judged by what was done to it and how long ago; what has not, by its folder and its name.
 */
export class Forecast {
  readonly #priors: ForecastPriors;
  readonly #state: Omit<ForecastState, 'traces'>;
  /** Not an object: a file may be named `constructor`. */
  readonly #traces: Map<string, Trace>;

  constructor(priors: ForecastPriors, { traces, ...state }: ForecastState = ForecastState.parse({})) {
    this.#priors = priors;
    this.#state = state;
    this.#traces = new Map(traces);
  }

  state(): ForecastState {
    return { ...this.#state, traces: [...this.#traces] };
  }

  /** Takes in what happened. `placed`: the items that stood in the prompt; `broken`: those of them that no longer can. */
  observe(events: readonly TierEvent[], placed: readonly ItemKey[], broken: ReadonlySet<ItemKey>): void {
    const state = this.#state;
    const touching = events.some(({ kind }) => kind === 'edited' || kind === 'selected' || kind === 'dropped');
    if (!touching && broken.size === 0) return;
    if (state.changes > 0) this.#learn(placed, broken);
    state.changes += 1;
    this.#trace(events);
  }

  /** How often each of these items is expected to change with the next change: 0 = never, more than 1 = nearly surely. */
  rates(items: readonly TierItem[]): number[] {
    const { changes, cold } = this.#state;
    const { coldPerChange, crowd, weight, nearby, named } = this.#priors;
    const folders = this.#touchedLately(folderOf);
    const names = this.#touchedLately(nameOf);
    const perChange = (crowd * (cold + coldPerChange * weight)) / (Math.max(0, changes - 1) + weight);
    const weights = items.map(({ key }) => {
      const path = pathOf(key);
      if (this.#traces.has(path)) return 0;
      return 1 + nearby * (folders.get(folderOf(path)) ?? 0) + named * (names.get(nameOf(path)) ?? 0);
    });
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return items.map(({ key }, at) => {
      const trace = this.#traces.get(pathOf(key));
      return trace ? this.#touchedRate(key, trace) : (perChange * (weights[at] ?? 0)) / sum;
    });
  }

  #touchedRate(key: ItemKey, [phase, since]: Trace): number {
    const [seen, changed] = this.#state.counts[this.#classOf(key, [phase, since])] ?? [0, 0];
    const chance = (changed + this.#priors[phase] * this.#priors.weight) / (seen + this.#priors.weight);
    return -Math.log(1 - Math.min(chance, 0.98));
  }

  #learn(placed: readonly ItemKey[], broken: ReadonlySet<ItemKey>): void {
    for (const key of placed) {
      const trace = this.#traces.get(pathOf(key));
      const changed = broken.has(key) ? 1 : 0;
      if (!trace) {
        this.#state.cold += changed;
        continue;
      }
      const name = this.#classOf(key, trace);
      const [seen, before] = this.#state.counts[name] ?? [0, 0];
      this.#state.counts[name] = [seen + 1, before + changed];
    }
  }

  #classOf(key: ItemKey, [phase, since]: Trace): string {
    return `${key.slice(0, key.indexOf(':'))} ${phase} ${Math.min(this.#priors.oldest, this.#state.changes - since)}`;
  }

  #trace(events: readonly TierEvent[]): void {
    const { changes } = this.#state;
    for (const event of events) {
      if (event.kind === 'selected') this.#traces.set(event.path, ['fresh', changes]);
      if (event.kind === 'edited') this.#traces.set(pathOf(event.key), ['edited', changes]);
      if (event.kind === 'dropped') this.#traces.set(event.path, ['dropped', changes]);
    }
  }

  /** What files that were touched lately have in common, with their number. */
  #touchedLately(commonOf: (path: string) => string): Map<string, number> {
    const touched = new Map<string, number>();
    for (const [path, [phase, since]] of this.#traces) {
      if (phase === 'dropped' || this.#state.changes - since > this.#priors.nearbyFor) continue;
      const common = commonOf(path);
      touched.set(common, (touched.get(common) ?? 0) + 1);
    }
    return touched;
  }
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** `a/one.test.ts` is named `one`. */
function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).split('.', 1)[0] ?? '';
}
