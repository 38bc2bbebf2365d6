import * as z from 'zod';
import { mediaSource, type ContentPart, type MediaKind, type MediaPart } from '../../core/content-part.ts';
import type { RichKind } from '../../core/prompty-agent.ts';
import { PROMPTY_ROLES, type PromptyMessage } from '../../core/prompty-message.ts';
import { dataProperty, isData } from './engine/own-data.ts';
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
  const data = new PlainCopy(name).of(value);
  if (kind !== 'thread') {
    const given = typeof data === 'object' ? { ...data, kind } : { value: data, kind };
    return { kind, part: checkSource(name, readAs(media, given, name)) };
  }
  const messages = readAs(thread, data, name);
  for (const part of messages.flatMap((message) => message.content)) if (part.kind !== 'text') checkSource(name, part);
  return { kind, messages };
}

/** Deeper than any message is. */
const MAX_DEPTH = 16;
/** Elements and members of one value, however often the same list is in it: some thousand messages. */
const MAX_MEMBERS = 50_000;

/** What a schema may look at: reading it runs nothing of the value's own. */
class PlainCopy {
  readonly #name: string;
  #left = MAX_MEMBERS;

  constructor(name: string) {
    this.#name = name;
  }

  of(value: unknown, depth = 0): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (!isData(value) || depth > MAX_DEPTH) throw this.#refuse('is no plain data');
    if (Array.isArray(value)) {
      this.#count(value.length);
      return Array.from({ length: value.length }, (_, at) => this.of(dataProperty(value, at), depth + 1));
    }
    const keys = Object.keys(value);
    this.#count(keys.length);
    const members = keys.map((key) => [key, this.of(dataProperty(value, key), depth + 1)] as const);
    return Object.fromEntries(members.filter(([, member]) => member !== undefined));
  }

  #count(members: number): void {
    this.#left -= members;
    if (this.#left < 0) throw this.#refuse(`has more than ${MAX_MEMBERS} elements and members`);
  }

  #refuse(what: string): ValueError {
    return new ValueError('invalid_input', `The input "${this.#name}" ${what}`);
  }
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
