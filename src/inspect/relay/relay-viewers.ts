import type { Clock, Timer } from '../../core/clock.ts';
import type { InspectionMessage, RelayCounts } from '../../core/inspection.ts';
import { createRelayViewer, type RelayViewer, type ViewerSocket } from './relay-viewer.ts';

/** Those who look on. */
export interface RelayViewers {
  /** Adds one; returns the way to let it go. */
  add(socket: ViewerSocket): () => void;
  size(): number;
  send(message: InspectionMessage): void;
  /** The actors of this place have gone without a word. */
  lost(place: string): void;
  counts(): RelayCounts;
  /** Resolves when nothing waits for anybody, or when it has waited long enough. */
  drained(): Promise<void>;
  /** Nobody is told of anything any more. */
  close(): void;
}

/** What they are made from. */
export type RelayViewersOptions = {
  readonly clock: Clock;
  readonly tellAll: () => void;
  readonly left: () => void;
};

/** All is told again to a viewer that has missed something, but no more often than this: it costs the threads time. */
const TELL_AGAIN_MS = 2_000;
/** How long viewers may take for what is left, and how often that is looked at. */
const DRAIN = { mostMs: 500, everyMs: 10 } as const;

/** Makes them; there are none yet. */
export function createRelayViewers({ clock, tellAll, left }: RelayViewersOptions): RelayViewers {
  const viewers = new Set<RelayViewer>();
  const gone = { sent: 0, dropped: 0 };
  let again: Timer | undefined;
  const tellAgain = (): void => {
    again ??= clock.setTimer(TELL_AGAIN_MS, () => {
      again = undefined;
      if (viewers.size > 0) tellAll();
    });
  };
  const stopTimer = (): void => {
    if (again !== undefined) clock.clearTimer(again);
    again = undefined;
  };
  const sum = (of: 'sent' | 'dropped'): number => {
    return [...viewers].reduce((total, { counts }) => total + counts[of], gone[of]);
  };
  return {
    add(socket) {
      const viewer = createRelayViewer({ socket, clock, caughtUp: tellAgain });
      viewers.add(viewer);
      tellAll();
      return () => {
        if (!viewers.delete(viewer)) return;
        gone.sent += viewer.counts.sent;
        gone.dropped += viewer.counts.dropped;
        if (viewers.size > 0) return;
        stopTimer();
        left();
      };
    },
    size: () => viewers.size,
    send(message) {
      for (const viewer of viewers) viewer.send(message);
    },
    lost(place) {
      for (const viewer of viewers) viewer.lost(place);
    },
    counts: () => ({ viewers: viewers.size, sent: sum('sent'), dropped: sum('dropped') }),
    async drained() {
      const until = clock.now() + DRAIN.mostMs;
      while (clock.now() < until && [...viewers].some((viewer) => !viewer.isServed())) {
        await new Promise<void>((resolve) => void clock.setTimer(DRAIN.everyMs, resolve));
      }
    },
    close: stopTimer,
  };
}
