import type { Clock, Timer } from '../core/clock.ts';
import { hangWords } from './hang-words.ts';
import type { Terminal } from './io.ts';

/** The lower end of a terminal that is drawn again and again. */
export interface LiveScreen {
  /** Something has changed: draws soon, at most ten times a second. What is drawn is drawn anew once a second in any case. */
  changed(): void;
  /** Writes a line that stays, above what is drawn; broken between words if it is wider than the terminal. */
  keep(line: string): void;
  /** Removes what is drawn. Nothing is drawn afterwards. */
  stop(): void;
}

/** What a screen is made from. */
export type LiveScreenOptions = {
  readonly stream: Terminal;
  readonly clock: Clock;
  /** The lines to draw, as of now; none of them may be wider than the terminal, nor all of them higher. */
  readonly draw: (size: { readonly columns: number; readonly rows: number }) => readonly string[];
};

const REDRAW_MS = 100;
/** What is drawn tells how long things have taken. */
const STILL_MS = 1_000;
const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;
/** Lines drawn at most, so that what was printed before stays in sight. */
const MAX_LINES = 20;

/** Makes a screen; nothing is drawn before the first change. */
export function createLiveScreen({ stream, clock, draw }: LiveScreenOptions): LiveScreen {
  let drawn = 0;
  /** Of a change that is to be drawn. */
  let timer: Timer | undefined;
  /** Of a picture that stands still. */
  let still: Timer | undefined;
  let stopped = false;

  const erase = (): string => (drawn === 0 ? '' : `\u001B[${drawn}A\r\u001B[J`);
  const redraw = (kept: string): void => {
    const columns = columnsOf(stream);
    const rows = Math.max(1, Math.min(MAX_LINES, (stream.rows || DEFAULT_ROWS) - 2));
    const lines = draw({ columns, rows });
    stream.write(`${erase()}${kept}${lines.map((line) => `${line}\n`).join('')}`);
    drawn = lines.length;
    if (still !== undefined) clock.clearTimer(still);
    still = drawn === 0 ? undefined : clock.setTimer(STILL_MS, () => redraw(''));
  };
  const tick = (): void => {
    timer = undefined;
    redraw('');
  };

  return {
    changed() {
      if (!stopped) timer ??= clock.setTimer(REDRAW_MS, tick);
    },
    keep(line) {
      const kept = `${hangWords(line, columnsOf(stream))}\n`;
      if (stopped || drawn === 0) stream.write(kept);
      else redraw(kept);
    },
    stop() {
      if (stopped) return;
      stopped = true;
      for (const each of [timer, still]) if (each !== undefined) clock.clearTimer(each);
      if (drawn > 0) stream.write(erase());
      drawn = 0;
    },
  };
}

/** One column stays free: a full last column makes some terminals wrap. */
function columnsOf({ columns }: Terminal): number {
  return Math.max(1, (columns || DEFAULT_COLUMNS) - 1);
}
