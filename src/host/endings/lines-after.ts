import { encodeEvent, type EventPayloads, type EventType } from '../../core/events.ts';
import type { StepOp } from '../../core/store.ts';

/** Events of one moment, milliseconds since the epoch. */
type Events = {
  readonly at: number;
  readonly events: readonly { readonly type: EventType; readonly payload: EventPayloads[EventType] }[];
};

/** The lines of events that follow a log's last one, and their numbers. */
export function linesAfter(
  last: number,
  { at, events }: Events,
): Pick<StepOp, 'lines' | 'firstSequence' | 'lastSequence'> {
  const first = last + 1;
  const lines = events.map(({ type, payload }, index) =>
    encodeEvent({ sequence: first + index, event_type: type, time: at, payload }),
  );
  return { lines: lines.join(''), firstSequence: first, lastSequence: last + events.length };
}
