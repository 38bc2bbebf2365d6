import { z } from 'zod';
import { OPERATION_BOUNDS } from './operation-bounds.ts';

/** Name of the question for the words of a running thread, on the control socket. */
export const READ_WORDS = 'read_words';

/**
 * Asks for what a thread's model says while it says it: of answer `answer` what follows its first `after` characters. Whoever
 * knows nothing asks for answer 0, which there never is.
 */
export const wordsQuestionSchema = z.strictObject({
  thread_id: z.string().max(OPERATION_BOUNDS.id),
  answer: z.int().min(0).default(0),
  after: z.int().min(0).default(0),
});

/** `text`: what stands at `from` of answer `answer`; `from` is 0 where that is another answer than the one asked for. */
export const wordsSchema = z.object({ answer: z.int(), from: z.int(), text: z.string() });

/** What is asked, as it is on the wire. */
export type WordsQuestion = z.input<typeof wordsQuestionSchema>;

/** A piece of what a model says. */
export type Words = Readonly<z.output<typeof wordsSchema>>;

/** Nobody speaks. */
export const SILENCE: Words = { answer: 0, from: 0, text: '' };
