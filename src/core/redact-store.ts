import type { Redactor } from './redactor.ts';
import type { StoreClient } from './store-client.ts';
import type { StepOp, StoreOp } from './store.ts';

/** A way to the store on which no secret travels: all that is ever stored goes through one of these. */
export function withoutSecrets(store: StoreClient, redactor: Redactor): StoreClient {
  return { ...store, submit: (op, done) => store.submit(cleanOp(op, redactor), done) };
}

function cleanOp(op: StoreOp, redactor: Redactor): StoreOp {
  if (op.type === 'step') return cleanStep(op, redactor);
  if (op.type === 'admit') return { ...op, spec: redactor.text(op.spec) };
  if (op.type !== 'continue') return redactor.data(op);
  const { spec, checkpoint } = op.successor;
  const successor = {
    ...op.successor,
    spec: redactor.text(spec),
    ...(checkpoint && { checkpoint: { ...checkpoint, state: redactor.text(checkpoint.state) } }),
  };
  return { ...op, end: cleanStep(op.end, redactor), successor };
}

/** The step of a turn has two long texts, which are JSON already; nothing of it is copied if they have no secret. */
function cleanStep(op: StepOp, redactor: Redactor): StepOp {
  const { checkpoint, status, request, decision } = op;
  const lines = redactor.text(op.lines);
  const state = checkpoint && redactor.text(checkpoint.state);
  const isPlain = status === undefined || status.to === 'running' || status.to === 'suspended';
  const ending = isPlain ? undefined : redactor.text(status.ending);
  const isClean = lines === op.lines && state === checkpoint?.state && (isPlain || ending === status.ending);
  if (isClean && !request && !decision) return op;
  return {
    ...op,
    lines,
    ...(checkpoint && state !== undefined && { checkpoint: { ...checkpoint, state } }),
    ...(!isPlain && ending !== undefined && { status: { ...status, ending } }),
    ...(request && { request: redactor.data(request) }),
    ...(decision && { decision: redactor.data(decision) }),
  };
}
