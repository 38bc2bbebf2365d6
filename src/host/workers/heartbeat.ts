import type { Clock, Timer } from '../../core/clock.ts';
import { BEAT, type Vitals } from '../../core/vitals.ts';

/** That a worker's loop stood still for too long; `isHurried`: by the measure of a runtime that closes. */
export type Stillness = { readonly message: string; readonly isHurried: boolean };

/** Looks at workers again and again, and says which have stopped. */
export interface Heartbeat {
  /** `stopped` is called once, if its loop stands still for too long. */
  watch(vitals: Vitals, stopped: (stillness: Stillness) => void): void;
  leave(vitals: Vitals): void;
  /** A runtime that closes waits for them: none may stand still for long now, whatever the configuration says. */
  hurry(): void;
  close(): void;
}

/** What a heartbeat is made from. */
export type HeartbeatOptions = {
  readonly clock: Clock;
  /** How long a worker's loop may stand still; asked anew each time. 0 = for ever. */
  readonly seconds: () => number;
};

/** Looks in a row at a worker that stands still before it counts as stopped. */
const LOOKS = 4;
/** As many as a worker may need until its first beat: it may load large modules. */
const FIRST_LOOKS = 40;
/** Pause until the first look, and between two while nobody is to be found out. */
const IDLE_MS = 1_000;
/** The most that a loop may stand still in a hurry: aborting thousands of streams takes about one second. */
const HURRY_SECONDS = 5;

/**
 * Watches the beats of workers. Only looks at which nothing has moved are counted, not the time between them: when the whole
 * machine has slept, workers have one look's time to show that they live.
 */
export function createHeartbeat({ clock, seconds }: HeartbeatOptions): Heartbeat {
  const watched = new Map<Vitals, { beat: number; still: number; readonly stopped: (stillness: Stillness) => void }>();
  let timer: Timer | undefined;
  let isHurried = false;
  const look = (): void => {
    const limit = isHurried ? Math.min(seconds() || HURRY_SECONDS, HURRY_SECONDS) : seconds();
    timer = clock.setTimer(limit > 0 ? (limit * 1000) / LOOKS : IDLE_MS, look);
    if (limit <= 0) return;
    for (const [vitals, one] of watched) {
      const beat = Atomics.load(vitals, BEAT);
      one.still = beat === one.beat ? one.still + 1 : 0;
      one.beat = beat;
      if (one.still < (beat === 0 ? FIRST_LOOKS : LOOKS)) continue;
      watched.delete(vitals);
      one.stopped({ message: `its event loop stood still for ${limit} s`, isHurried });
    }
  };
  const stop = (): void => {
    if (timer !== undefined) clock.clearTimer(timer);
  };
  timer = clock.setTimer(IDLE_MS, look);
  return {
    watch: (vitals, stopped) => void watched.set(vitals, { beat: 0, still: 0, stopped }),
    leave: (vitals) => void watched.delete(vitals),
    hurry() {
      stop();
      isHurried = true;
      look();
    },
    close: stop,
  };
}
