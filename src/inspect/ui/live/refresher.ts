/** What is read again and again. */
export type RefresherOptions = {
  /** Never rejects. */
  readonly read: () => Promise<void>;
  /** Between two beginnings. */
  readonly everyMs: number;
  readonly now: () => number;
  /** @returns how not to run it */
  readonly after: (ms: number, run: () => void) => () => void;
};

/** Reads when woken: at once, but one at a time, at most so often, and once more if it was woken meanwhile. */
export type Refresher = { wake(): void; close(): void };

/** A refresher that nobody has woken yet. */
export function createRefresher({ read, everyMs, now, after }: RefresherOptions): Refresher {
  let startedAt = -Infinity;
  let phase: 'idle' | 'waiting' | 'reading' | 'woken' | 'closed' = 'idle';
  let cancel: (() => void) | undefined;

  const start = async (): Promise<void> => {
    phase = 'reading';
    startedAt = now();
    await read();
    // It was woken or closed while it read, which the compiler can't see.
    const then = phase as typeof phase | 'woken' | 'closed';
    if (then === 'closed') return;
    phase = 'idle';
    if (then === 'woken') wake();
  };
  const wake = (): void => {
    if (phase === 'reading') phase = 'woken';
    if (phase !== 'idle') return;
    phase = 'waiting';
    cancel = after(Math.max(0, startedAt + everyMs - now()), () => void start()); // `read` never rejects.
  };
  return {
    wake,
    close() {
      phase = 'closed';
      cancel?.();
    },
  };
}
