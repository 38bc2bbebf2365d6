import type { Cost } from './limits.ts';
import type { StatusChange, StepOp, StoreOp } from './store.ts';

/**
 * A step as it travels: structured clone writes the names of an object's fields every time, which is most of a step, and
 * an array of its own is another object to write, to read and to collect.
 */
type StepFields = readonly [
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
  /** Of nearly every step nothing. */
  rare: Rare | undefined,
];

const STEP_FIELDS = 17 satisfies StepFields['length'];

/** What is on a step that suspends a thread, or that it goes on with. */
type Rare = Pick<StepOp, 'request' | 'decision' | 'ceiling'>;

/**
 * The operations of a batch on their way to the store worker: of a step its fields, one after the other, of which the first is a
 * number; any other as it is, an object.
 */
export type WireOps = (StepFields[number] | Exclude<StoreOp, StepOp>)[];

/** What a sender posts to the store worker: operations of one tick. `batch` counts up per port. */
export type StoreRequest = { readonly batch: number; readonly ops: Readonly<WireOps> };

/** Packs an operation for the way to the store worker, behind those that are packed already. */
export function packOp(wire: WireOps, op: StoreOp): void {
  if (op.type === 'step') packStep(wire, op);
  else wire.push(op);
}

type StepWire = { push(...fields: StepFields): void };

function packStep(wire: StepWire, op: StepOp): void {
  const { settle, checkpoint, cost, status, request, decision, ceiling } = op;
  wire.push(
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
    request || decision || ceiling !== undefined ? rareOf(op) : undefined,
  );
}

function rareOf({ request, decision, ceiling }: StepOp): Rare {
  return { ...(request && { request }), ...(decision && { decision }), ...(ceiling !== undefined && { ceiling }) };
}

function textOf(status: StatusChange): string | undefined {
  if (status.to === 'running') return undefined;
  return status.to === 'suspended' ? status.reason : status.ending;
}

/** Unpacks the operations of a batch as they are asked for: those that still wait are not made yet. */
export class OpReader {
  readonly #wire: Readonly<WireOps>;
  #at = 0;

  constructor(wire: Readonly<WireOps>) {
    this.#wire = wire;
  }

  /** Whether the last one has been given. */
  get isDone(): boolean {
    return this.#at >= this.#wire.length;
  }

  /** The next one; undefined after the last. */
  next(): StoreOp | undefined {
    const first = this.#wire[this.#at];
    if (typeof first === 'object' && 'type' in first) {
      this.#at++;
      return first;
    }
    if (this.isDone) return undefined;
    const op = unpackStep(this.#wire, this.#at);
    this.#at += STEP_FIELDS;
    return op;
  }
}

/** Reads by index, and gives every field: so nothing is allocated on the way, and all steps have the same shape. */
function unpackStep(wire: Readonly<WireOps>, at: number): StepOp {
  const reserved = field(wire, at, 5);
  const actual = field(wire, at, 6);
  const turn = field(wire, at, 8);
  const state = field(wire, at, 9);
  const rare = field(wire, at, 16);
  const op: StepOp = {
    type: 'step',
    thread: field(wire, at, 0),
    at: field(wire, at, 1),
    lines: field(wire, at, 2),
    firstSequence: field(wire, at, 3),
    lastSequence: field(wire, at, 4),
    settle: reserved === undefined || actual === undefined ? undefined : { reserved, actual },
    reserve: field(wire, at, 7),
    checkpoint: turn === undefined || state === undefined ? undefined : { turn, state },
    cost: costOf(wire, at),
    status: statusOf(wire, at),
  };
  return rare ? { ...op, ...rare } : op;
}

/** A field of the step that begins at `at`. */
function field<Index extends number>(wire: Readonly<WireOps>, at: number, index: Index): StepFields[Index] {
  // `packStep` has put them there in this order.
  return wire[at + index] as StepFields[Index];
}

function costOf(wire: Readonly<WireOps>, at: number): Cost | undefined {
  const turns = field(wire, at, 10);
  const inputTokens = field(wire, at, 11);
  const outputTokens = field(wire, at, 12);
  const spend = field(wire, at, 13);
  if (turns === undefined || inputTokens === undefined || outputTokens === undefined || spend === undefined) {
    return undefined;
  }
  return { turns, inputTokens, outputTokens, spend };
}

function statusOf(wire: Readonly<WireOps>, at: number): StatusChange | undefined {
  const to = field(wire, at, 14);
  const text = field(wire, at, 15) ?? '';
  if (to === undefined) return undefined;
  if (to === 'running') return { to };
  // The text was taken from a status of this kind.
  if (to === 'suspended') return { to, reason: text as Extract<StatusChange, { to: 'suspended' }>['reason'] };
  return { to, ending: text };
}
