import * as z from 'zod';
import { mediaSource, type ContentPart, type MediaKind, type MediaPart } from '../../core/content-part.ts';
import type { RichKind } from '../../core/prompty-agent.ts';
import { PROMPTY_ROLES, type PromptyMessage } from '../../core/prompty-message.ts';
import { ValueError } from './engine/value-error.ts';

/** What a nonce stands for. */
export type RichValue =
  | { readonly kind: 'thread'; readonly messages: readonly PromptyMessage[] }
  | { readonly kind: MediaKind; readonly part: MediaPart };

const media = z.object({
  kind: z.enum(['image', 'file', 'audio']),
  value: z.string().min(1),
  mediaType: z.string().exactOptional(),
  detail: z.string().exactOptional(),
  name: z.string().exactOptional(),
});
const text = z.object({ kind: z.literal('text'), value: z.string() });
const content = z.union([
  z.string().transform((value): readonly ContentPart[] => [{ kind: 'text', value }]),
  z.array(z.discriminatedUnion('kind', [text, media])),
]);
const thread = z.array(
  z.object({
    role: z.enum(PROMPTY_ROLES),
    content,
    metadata: z.record(z.string(), z.string()).exactOptional(),
  }),
);

/**
 * Reads the value of a rich input: a list of messages (`role`, and `content` as text or as parts), or an image, file or audio
 * as text (a URL, a data URL, base64) or as an object with `value` and perhaps `mediaType`, `detail` and `name`.
 *
 * @throws ValueError `invalid_input` naming the input
 */
export function readRichValue(name: string, kind: RichKind, value: unknown): RichValue {
  if (kind !== 'thread') {
    const given = typeof value === 'object' ? { ...value, kind } : { value, kind };
    return { kind, part: checkSource(name, readAs(media, given, name)) };
  }
  const messages = readAs(thread, value, name);
  for (const part of messages.flatMap((message) => message.content)) if (part.kind !== 'text') checkSource(name, part);
  return { kind, messages };
}

function readAs<Schema extends z.ZodType>(schema: Schema, value: unknown, name: string): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const at = issue?.path.map((key) => `.${String(key)}`).join('') ?? '';
  throw new ValueError('invalid_input', `The input "${name}"${at && ` at ${at}`} is not accepted: ${issue?.message}`);
}

function checkSource(name: string, part: MediaPart): MediaPart {
  if (mediaSource(part) !== undefined) return part;
  throw new ValueError('invalid_input', `The input "${name}" is neither a URL nor base64`);
}
