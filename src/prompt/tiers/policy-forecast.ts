import * as z from 'zod';
import type { ItemKey, TierEvent, TierItem } from '../../core/assembly.ts';
import { pathOf } from './policy-keys.ts';

/** What is taken for granted before a session has shown how it goes; measured by the simulation bench. */
export const FORECAST = {
  /** How much a prior weighs, in changes seen. */
  weight: 2,
  /** Probability that a file changes or goes with the next change: selected and not yet edited, edited, dropped. */
  fresh: 0.7,
  edited: 0.35,
  dropped: 0.12,
  /** Symbol blocks never touched so far of which one change touches so many. */
  coldPerChange: 2,
  /** Larger files are touched more often: weight = tokens to this power. */
  sizePower: 0.5,
  /** How much likelier a file is to be touched next if its folder was touched lately, per file touched there. */
  nearby: 3,
  /** Changes for which a touched folder counts as such. */
  nearbyFor: 3,
  /** Changes after which nothing more is learned from a file's age. */
  oldest: 4,
  /** Turns per change, and how fast a session's own number takes over. */
  turns: 2,
  turnsRate: 0.3,
} as const;

const PHASES = ['fresh', 'edited', 'dropped'] as const;
const Count = z.tuple([z.number(), z.number()]);

/** What a forecast remembers, as JSON. */
export const ForecastState = z.strictObject({
  changes: z.number().default(0),
  turns: z.number().default(FORECAST.turns),
  turnsSince: z.number().default(0),
  /** By path: what was last done to it, and with which change. */
  traces: z.record(z.string(), z.tuple([z.enum(PHASES), z.number()])).default({}),
  /** By kind, phase and age: how often such an item was there when something changed, and how often it changed. */
  counts: z.record(z.string(), Count).default({}),
  /** Blocks never touched before that changed. */
  cold: z.number().default(0),
});
/** What a forecast remembers. */
export type ForecastState = z.infer<typeof ForecastState>;

/**
 * How likely each item is to change, learned from the session itself.
 *
 * 1. Time is counted in changes: turns at which something but the history is not what it was.
 * 2. What has been touched is judged by what was done to it and how long ago; what has not, by size and neighbours.
 */
export class Forecast {
  readonly #state: ForecastState;

  constructor(state: ForecastState = ForecastState.parse({})) {
    this.#state = state;
  }

  state(): ForecastState {
    return this.#state;
  }

  /** Turns from one change to the next. */
  get turns(): number {
    return this.#state.turns;
  }

  /** Turns from now until the next change, this one included; at least one. */
  get turnsLeft(): number {
    return Math.max(1, this.#state.turns - this.#state.turnsSince);
  }

  /** Takes in what happened. `placed`: the items that stood in the prompt; `broken`: those of them that no longer can. */
  observe(events: readonly TierEvent[], placed: readonly ItemKey[], broken: ReadonlySet<ItemKey>): void {
    const state = this.#state;
    const touching = events.some(({ kind }) => kind === 'edited' || kind === 'selected' || kind === 'dropped');
    if (!touching && broken.size === 0) {
      state.turnsSince += 1;
      return;
    }
    if (state.changes > 0) state.turns += FORECAST.turnsRate * (state.turnsSince + 1 - state.turns);
    if (state.changes > 0) this.#learn(placed, broken);
    state.turnsSince = 0;
    state.changes += 1;
    this.#trace(events);
  }

  /** How often each of these items is expected to change with the next change: 0 = never, more than 1 = nearly surely. */
  rates(items: readonly TierItem[]): number[] {
    const { changes, cold, traces } = this.#state;
    const folders = this.#folders();
    const perChange = (cold + FORECAST.coldPerChange * FORECAST.weight) / (Math.max(0, changes - 1) + FORECAST.weight);
    const weights = items.map(({ key, tokens }) => {
      const path = pathOf(key);
      if (traces[path]) return 0;
      return tokens ** FORECAST.sizePower * (1 + FORECAST.nearby * (folders.get(folderOf(path)) ?? 0));
    });
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return items.map(({ key }, at) => {
      const trace = traces[pathOf(key)];
      return trace ? this.#touchedRate(key, trace) : (perChange * (weights[at] ?? 0)) / sum;
    });
  }

  #touchedRate(key: ItemKey, [phase, since]: Trace): number {
    const [seen, changed] = this.#state.counts[this.#classOf(key, [phase, since])] ?? [0, 0];
    const chance = (changed + FORECAST[phase] * FORECAST.weight) / (seen + FORECAST.weight);
    return -Math.log(1 - Math.min(chance, 0.98));
  }

  #learn(placed: readonly ItemKey[], broken: ReadonlySet<ItemKey>): void {
    for (const key of placed) {
      const trace = this.#state.traces[pathOf(key)];
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
    return `${key.slice(0, key.indexOf(':'))} ${phase} ${Math.min(FORECAST.oldest, this.#state.changes - since)}`;
  }

  #trace(events: readonly TierEvent[]): void {
    const { traces, changes } = this.#state;
    for (const event of events) {
      if (event.kind === 'selected') traces[event.path] = ['fresh', changes];
      if (event.kind === 'edited') traces[pathOf(event.key)] = ['edited', changes];
      if (event.kind === 'dropped') traces[event.path] = ['dropped', changes];
    }
  }

  /** Folders touched lately, with the number of files touched in each. */
  #folders(): Map<string, number> {
    const folders = new Map<string, number>();
    for (const [path, [phase, since]] of Object.entries(this.#state.traces)) {
      if (phase === 'dropped' || this.#state.changes - since > FORECAST.nearbyFor) continue;
      const folder = folderOf(path);
      folders.set(folder, (folders.get(folder) ?? 0) + 1);
    }
    return folders;
  }
}

type Trace = ForecastState['traces'][string];

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
