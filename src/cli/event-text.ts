import type { OperationResult } from '../core/operations.ts';
import { printable, printableJson } from './printable.ts';

/** An event as it is given by the operations. */
export type ShownEvent = OperationResult<'read_events'>['events'][number];

/** An event on one line: `#3  2026-11-22T…  tool_call_start  {…}`. */
export function eventLine({ sequence, timestamp, event_type: type, payload }: ShownEvent): string {
  return `#${sequence ?? ''}  ${printable(timestamp)}  ${printable(type)}  ${printableJson(payload)}`;
}
