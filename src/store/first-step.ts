import type { ContinueOp, StepOp } from '../core/store.ts';

/** The step that gives a successor its first checkpoint: it has no events yet. */
export function firstStep({ thread, at, checkpoint, cost }: ContinueOp['successor']): StepOp {
  const step = { type: 'step', thread, at, lines: '', firstSequence: 0, lastSequence: 0 } as const;
  return { ...step, ...(checkpoint && { checkpoint }), ...(cost && { cost }) };
}
