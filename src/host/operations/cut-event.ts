import type { OperationResult } from '../../core/operations.ts';
import { cutTexts } from './cut-texts.ts';

type Entry = OperationResult<'read_transcript'>['events'][number];

/** An event in at most about so many bytes, so that one long result does not hide all the others. */
export function cutEvent(event: Entry, maxBytes: number): Entry {
  if (Buffer.byteLength(JSON.stringify(event)) <= maxBytes) return event;
  return { ...event, payload: cutTexts(event.payload, maxBytes), cut: true };
}
