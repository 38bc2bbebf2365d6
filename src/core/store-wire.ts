import type { Cost } from './limits.ts';
import type { StatusChange, StepOp, StoreOp } from './store.ts';

/** A step as it travels: structured clone writes the names of an object's fields every time, which is most of a step. */
export type WireStep = readonly [
  thread: StepOp['thread'],
  at: number,
  lines: string,
  firstSequence: number,
  lastSequence: number,
  settleReserved: number | undefined,
  settleActual: number | undefined,
  reserve: number | undefined,
  checkpointTurn: number | undefined,
  checkpointState: string | undefined,
  turns: number | undefined,
  inputTokens: number | undefined,
  outputTokens: number | undefined,
  spend: number | undefined,
  status: StatusChange['to'] | undefined,
  /** The reason of a suspension, the ending of an end. */
  statusText: string | undefined,
  /** Left out by nearly every step. */
  rare?: Rare,
];

/** What is on a step that suspends a thread, or that it goes on with. */
type Rare = Pick<StepOp, 'request' | 'decision' | 'ceiling'>;

/** An operation as it travels to the store worker. */
export type WireOp = WireStep | Exclude<StoreOp, StepOp>;

/** What a sender posts to the store worker: operations of one tick. `batch` counts up per port. */
export type StoreRequest = { readonly batch: number; readonly ops: readonly WireOp[] };

/** Packs an operation for the way to the store worker. */
export function packOp(op: StoreOp): WireOp {
  if (op.type !== 'step') return op;
  const { request, decision, ceiling } = op;
  return request || decision || ceiling !== undefined ? [...packStep(op), rareOf(op)] : packStep(op);
}

type PlainStep = WireStep extends readonly [...infer Plain, rare?: unknown] ? Plain : never;

function rareOf({ request, decision, ceiling }: StepOp): Rare {
  return { ...(request && { request }), ...(decision && { decision }), ...(ceiling !== undefined && { ceiling }) };
}

function packStep(op: StepOp): PlainStep {
  const { settle, checkpoint, cost, status } = op;
  return [
    op.thread,
    op.at,
    op.lines,
    op.firstSequence,
    op.lastSequence,
    settle?.reserved,
    settle?.actual,
    op.reserve,
    checkpoint?.turn,
    checkpoint?.state,
    cost?.turns,
    cost?.inputTokens,
    cost?.outputTokens,
    cost?.spend,
    status?.to,
    status && textOf(status),
  ];
}

function textOf(status: StatusChange): string | undefined {
  if (status.to === 'running') return undefined;
  return status.to === 'suspended' ? status.reason : status.ending;
}

/** The operation that was packed. */
export function unpackOp(wire: WireOp): StoreOp {
  return 'type' in wire ? wire : unpackStep(wire);
}

/** Reads by index, and gives every field: so nothing is allocated on the way, and all steps have the same shape. */
function unpackStep(wire: WireStep): StepOp {
  const reserved = wire[5];
  const actual = wire[6];
  const turn = wire[8];
  const state = wire[9];
  const op: StepOp = {
    type: 'step',
    thread: wire[0],
    at: wire[1],
    lines: wire[2],
    firstSequence: wire[3],
    lastSequence: wire[4],
    settle: reserved === undefined || actual === undefined ? undefined : { reserved, actual },
    reserve: wire[7],
    checkpoint: turn === undefined || state === undefined ? undefined : { turn, state },
    cost: costOf(wire),
    status: statusOf(wire),
  };
  return wire[16] ? { ...op, ...wire[16] } : op;
}

function costOf(wire: WireStep): Cost | undefined {
  const turns = wire[10];
  const inputTokens = wire[11];
  const outputTokens = wire[12];
  const spend = wire[13];
  if (turns === undefined || inputTokens === undefined || outputTokens === undefined || spend === undefined) {
    return undefined;
  }
  return { turns, inputTokens, outputTokens, spend };
}

function statusOf(wire: WireStep): StatusChange | undefined {
  const to = wire[14];
  const text = wire[15] ?? '';
  if (to === undefined) return undefined;
  if (to === 'running') return { to };
  // The text was taken from a status of this kind.
  if (to === 'suspended') return { to, reason: text as Extract<StatusChange, { to: 'suspended' }>['reason'] };
  return { to, ending: text };
}
