import type { Clock } from '../../core/clock.ts';
import type { InspectionMessage, RelayCounts } from '../../core/inspection.ts';
import { createRelayViewer, type RelayViewer, type ViewerSocket } from './relay-viewer.ts';
import { createTellingAgain, type TellingAgain } from './telling-again.ts';

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

/** How long viewers may take for what is left, and how often that is looked at. */
const DRAIN = { mostMs: 500, everyMs: 10 } as const;

/** Makes them; there are none yet. */
export function createRelayViewers({ clock, tellAll, left }: RelayViewersOptions): RelayViewers {
  const viewers = new Map<RelayViewer, TellingAgain>();
  const gone = { sent: 0, dropped: 0 };
  /** It is told to everybody: whoever was to have it told next has what it needs. */
  const tell = (): void => {
    for (const again of viewers.values()) again.told();
    tellAll();
  };
  const sum = (of: 'sent' | 'dropped'): number => {
    return [...viewers.keys()].reduce((total, { counts }) => total + counts[of], gone[of]);
  };
  return {
    add(socket) {
      const again = createTellingAgain(clock, tell);
      const viewer = createRelayViewer({ socket, clock, caughtUp: () => again.due() });
      viewers.set(viewer, again);
      tell();
      return () => {
        if (!viewers.delete(viewer)) return;
        again.stop();
        gone.sent += viewer.counts.sent;
        gone.dropped += viewer.counts.dropped;
        if (viewers.size === 0) left();
      };
    },
    size: () => viewers.size,
    send(message) {
      for (const viewer of viewers.keys()) viewer.send(message);
    },
    lost(place) {
      for (const viewer of viewers.keys()) viewer.lost(place);
    },
    counts: () => ({ viewers: viewers.size, sent: sum('sent'), dropped: sum('dropped') }),
    async drained() {
      const until = clock.stopwatch() + DRAIN.mostMs;
      while (clock.stopwatch() < until && [...viewers.keys()].some((viewer) => !viewer.isServed())) {
        await new Promise<void>((resolve) => void clock.setTimer(DRAIN.everyMs, resolve));
      }
    },
    close() {
      for (const again of viewers.values()) again.stop();
    },
  };
}
