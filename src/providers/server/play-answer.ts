import type { ServerResponse } from 'node:http';
import type { Clock, Timer } from '../../core/clock.ts';

/** What is sent, and how it ends. */
export type Plan = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Goes out with the first piece, so that until then the client has no byte. */
  readonly head: string;
  readonly pieces: readonly string[];
  /** Goes out with the last piece. */
  readonly tail: string;
  /** Goes out after the tail, so much later that the client reads it by itself. */
  readonly apart?: string;
  /** Milliseconds over which the pieces are spread. */
  readonly delayMs: number;
  /** `end` in good order, by a reset, or never: the client has to leave. */
  readonly ending: 'end' | 'reset' | 'stall';
};

/** Sends an answer: all that is due at one time in one write. Ends early and silently when the client leaves. */
export function playAnswer(response: ServerResponse, plan: Plan, clock: Clock): void {
  if (plan.delayMs <= 0) return send(response, plan, { from: 0, to: plan.pieces.length, isLast: true, clock });
  const startedAt = clock.stopwatch();
  const { length } = plan.pieces;
  const stepMs = plan.delayMs / Math.max(1, length);
  let sent = 0;
  let timer: Timer | undefined;
  const step = (): void => {
    const passed = clock.stopwatch() - startedAt;
    const isLast = passed >= plan.delayMs;
    const to = isLast ? length : Math.min(length, Math.floor(passed / stepMs));
    if (to > sent || isLast) send(response, plan, { from: sent, to, isLast, clock });
    sent = to;
    if (!isLast) timer = clock.setTimer(Math.max(1, startedAt + (sent + 1) * stepMs - clock.stopwatch()), step);
  };
  timer = clock.setTimer(stepMs, step);
  response.once('close', () => {
    if (timer !== undefined) clock.clearTimer(timer);
  });
}

type Window = { readonly from: number; readonly to: number; readonly isLast: boolean; readonly clock: Clock };

const APART_MS = 20;

function send(response: ServerResponse, plan: Plan, { from, to, isLast, clock }: Window): void {
  const { pieces, ending } = plan;
  let text = from === 0 && (to > 0 || isLast) && !isSilent(plan) ? plan.head : '';
  for (let at = from; at < to; at += 1) text += pieces[at];
  if (isLast) text += plan.tail;
  if (!response.headersSent && !isSilent(plan)) response.writeHead(plan.status, plan.headers);
  if (!isLast) return void response.write(text);
  if (plan.apart !== undefined) {
    response.write(text);
    return void clock.setTimer(APART_MS, () => response.end(plan.apart));
  }
  if (ending === 'end') return void response.end(text);
  if (ending === 'reset' && text === '') return void response.socket?.resetAndDestroy();
  // What was sent arrives before the reset does.
  if (text !== '') response.write(text, () => ending === 'reset' && response.socket?.resetAndDestroy());
}

/** Breaks off before its first byte. */
function isSilent({ pieces, tail, ending }: Plan): boolean {
  return ending !== 'end' && pieces.length === 0 && tail === '';
}
