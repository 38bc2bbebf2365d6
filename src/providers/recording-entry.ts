import * as z from 'zod';

const piece = z.union([z.string(), z.strictObject({ base64: z.string() })]);

/** One line of a recording: what was asked, and what came back as far as it came. */
export const entrySchema: z.ZodType<RecordedExchange> = z.strictObject({
  /** Milliseconds since the epoch: when the request was sent. */
  at: z.number(),
  /** The same by the process's stopwatch, which gives the order, whatever becomes of the time of day. Older recordings have none. */
  begun: z.number().optional(),
  request: z.strictObject({ method: z.string(), path: z.string(), body: z.json() }),
  /** Absent if no answer began. */
  response: z
    .strictObject({
      status: z.int().min(200).max(599),
      headers: z.record(z.string(), z.string()).refine(areHeaders, 'a name or value that no header can have'),
      pieces: z.array(piece),
    })
    .optional(),
  /** What broke the exchange off. */
  failure: z.strictObject({ message: z.string(), code: z.string().optional() }).optional(),
});

/** The one that plays them knows best. */
function areHeaders(headers: Readonly<Record<string, string>>): boolean {
  try {
    void new Headers(headers);
    return true;
  } catch {
    return false;
  }
}

/** A piece of a body as it came: its text, or its bytes where they are no text. */
export type RecordedPiece = string | { readonly base64: string };

/** A request as it is compared: no header of it counts, nor the server it went to. */
export type RecordedRequest = { readonly method: string; readonly path: string; readonly body: z.core.util.JSONType };

/** See {@link entrySchema}. */
export type RecordedExchange = {
  readonly at: number;
  readonly begun?: number | undefined;
  readonly request: RecordedRequest;
  readonly response?:
    | {
        readonly status: number;
        readonly headers: Readonly<Record<string, string>>;
        readonly pieces: readonly RecordedPiece[];
      }
    | undefined;
  readonly failure?: { readonly message: string; readonly code?: string | undefined } | undefined;
};

/** The bytes of a piece. */
export function pieceBytes(recorded: RecordedPiece): Uint8Array {
  return typeof recorded === 'string' ? Buffer.from(recorded, 'utf8') : Buffer.from(recorded.base64, 'base64');
}
