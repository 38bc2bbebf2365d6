import { z } from 'zod';
import { SkeinError } from '../../core/errors.ts';
import { actorNewsSchema, type ActorNews } from '../../core/inspection.ts';

/** News of one actor are a few kilobytes: what is longer was not made by our code. */
const MAX_CHARACTERS = 100_000;

/** Reads what a worker says of an actor. @throws SkeinError `invalid_argument` for what is no news */
export function readNews(text: string): ActorNews {
  if (text.length > MAX_CHARACTERS) {
    throw new SkeinError('invalid_argument', `News of an actor have ${text.length} characters`);
  }
  const read = actorNewsSchema.safeParse(parse(text));
  if (read.success) return read.data;
  throw new SkeinError('invalid_argument', `News of an actor have another form: ${z.prettifyError(read.error)}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SkeinError('invalid_argument', 'News of an actor are no JSON', { cause });
  }
}
