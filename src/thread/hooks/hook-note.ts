import { compileTemplate } from '../../core/interpolate.ts';
import { isRecord } from '../../core/record.ts';
import { findReserved } from '../../tools/reserved-keys.ts';
import type { InWorker } from '../conversation/conversation.ts';

type Params = Readonly<Record<string, unknown>>;

/** The id of the internal tool that writes an event. */
export const EMITTER: string = 'rye/agent/threads/internal/emitter';

/** An event that a hook writes, with a flat payload: what the emitter asks of its params is known before it is filled. */
export type HookNote = { readonly type: string; readonly payload: (context: unknown) => Params };

/** Compiles an action's params as a note; undefined if they are more than that. */
export function compileNote(params: unknown): HookNote | undefined {
  if (!isRecord(params) || Object.keys(params).length !== 2) return undefined;
  const { event_type: type, payload } = params;
  if (typeof type !== 'string' || type === '' || type.includes('$')) return undefined;
  if (!isRecord(payload) || !isFlat(payload) || findReserved(payload)) return undefined;
  const fill = compileTemplate(payload);
  // A map's template makes a map.
  return { type, payload: (context) => fill(context) as Params };
}

/**
 * Writes the event of a note at once. False if it was not written, and nothing else was done: the long way says why not.
 */
export function writeNote(
  { thread, services }: InWorker,
  { type, payload: fill }: HookNote,
  context: unknown,
): boolean {
  const payload = filled(fill, context);
  // What a field of the context holds may be anything.
  if (!payload || !isFlat(payload)) return false;
  let isWritten = false;
  const input = { event_type: type, payload };
  services.internalTools.get(EMITTER)?.run({ thread, services, input }, ({ ok }) => (isWritten = ok));
  return isWritten;
}

function filled(fill: HookNote['payload'], context: unknown): Params | undefined {
  try {
    return fill(context);
  } catch {
    // For the long way to say.
    return undefined;
  }
}

const FLAT: ReadonlySet<string> = new Set(['string', 'number', 'boolean']);

function isFlat(payload: Params): boolean {
  for (const value of Object.values(payload)) if (value !== null && !FLAT.has(typeof value)) return false;
  return true;
}
