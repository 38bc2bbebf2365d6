import { z } from 'zod';
import { failureSchema } from '../../core/control-surface.ts';

/** Version of the protocol; whoever speaks another one is told so. 2 added until when a request is waited for. */
export const CONTROL_VERSION = 2;

/** Longest line a runtime reads, bytes. */
export const MAX_REQUEST_BYTES = 1_048_576;

/** Longest line that is read from a runtime, bytes. */
export const MAX_REPLY_BYTES = 64 * 1_048_576;

/** One line to the runtime. */
export const requestSchema = z.strictObject({
  version: z.literal(CONTROL_VERSION),
  /** The reply has the same. */
  id: z.int().min(0),
  operation: z.string().max(100),
  input: z.unknown(),
  /** Milliseconds since the epoch; what is read later is not carried out: nobody waits for it any more. */
  until: z.number(),
});

/** What is read of a line that is no request: who sent it, and how it was meant. */
export const strangeRequestSchema = z.object({ version: z.unknown().optional(), id: z.int().min(0).optional() });

/** One line from the runtime; `id` is absent where it could not be read from the request. */
export const replySchema = z.union([
  z.object({ version: z.literal(CONTROL_VERSION), id: z.int(), answer: z.unknown() }),
  z.object({ version: z.number(), id: z.int().optional(), failure: failureSchema }),
]);

/** A request, as it is sent. */
export type ControlRequest = z.output<typeof requestSchema>;

/** A reply, as it is sent. */
export type ControlReply = z.output<typeof replySchema>;

/** A message as one line. */
export function toLine(message: ControlRequest | ControlReply): string {
  return `${JSON.stringify(message)}\n`;
}
