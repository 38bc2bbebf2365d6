import { toFailure } from '../../core/errors.ts';
import { reviewBlock } from '../../prompt/tiers/review.ts';
import { readReview, type FileBefore } from '../../tools/git-review.ts';
import type { InWorker } from '../conversation/conversation.ts';

/** Blocks of files as they were; git's name of a content never means another. */
const MAX_OUTLINES = 2000;

/** What a thread reviews, read anew for each request (S1 "Review Context"); empty if it reviews nothing. */
export async function reviewText({ thread, services }: InWorker): Promise<string> {
  const { assembly: session } = thread;
  if (session?.review === undefined) return '';
  const { git, symbols } = services.assembly;
  const outline = async ({ path, object, read }: FileBefore): Promise<string | undefined> => {
    const key = `${object} ${path}`;
    if (!session.outlines.has(key)) {
      if (session.outlines.size >= MAX_OUTLINES) session.outlines.clear();
      const text = await read();
      session.outlines.set(key, await symbols.outline(path, text).catch(withoutBlock));
    }
    return session.outlines.get(key);
  };
  return reviewBlock(await readReview({ git, base: session.review, selected: session.files.selected(), outline }));
}

/** A text that brings its parser down has no block, and is not tried again: as in the index. */
function withoutBlock(thrown: unknown): undefined {
  if (toFailure(thrown).code === 'runtime_closed') throw thrown;
  return undefined;
}
