import { SkeinError } from '../../core/errors.ts';
import { actorNewsSchema, MAX_NEWS_BYTES, type ActorNews } from '../../core/inspection.ts';
import { faultLine } from '../../core/zod-fault.ts';

/** Reads what a worker says of an actor. @throws SkeinError `invalid_argument` for what is no news */
export function readNews(text: string): ActorNews {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_NEWS_BYTES) {
    throw new SkeinError('invalid_argument', `News of an actor have ${bytes} bytes; they may have ${MAX_NEWS_BYTES}`);
  }
  const read = actorNewsSchema.safeParse(parse(text));
  if (read.success) return read.data;
  throw new SkeinError('invalid_argument', `News of an actor have another form: ${faultLine(read.error)}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SkeinError('invalid_argument', 'News of an actor are no JSON', { cause });
  }
}
