import { attemptLater } from '../../core/result.ts';
import { resolveCommit } from '../../tools/git-review.ts';
import type { ContextCode } from './context-tools.ts';
import { showContext } from '../tiers/show-context.ts';

/** `enter_review`: the commit is resolved once, so that a branch that moves on does not change what is reviewed. */
export const enterReview: ContextCode = (call, done) => {
  const { thread, services, input } = call;
  let isAborted = false;
  // Checked against its file.
  const order = { git: services.assembly.git, base: input['base'] as string };
  const enter = async (): Promise<void> => {
    const found = await attemptLater(() => resolveCommit(order), 'tool_failed');
    if (isAborted || thread.ended) return;
    if (found.ok) showContext(call, { review: { base: found.value } });
    done(found.ok ? { ok: true, value: { base: found.value } } : found);
  };
  void enter();
  return { abort: () => (isAborted = true) };
};

/** `leave_review`. */
export const leaveReview: ContextCode = (call, done) => {
  const isReviewing = call.session.review !== undefined;
  if (isReviewing) showContext(call, { review: null });
  done({ ok: true, value: { was_reviewing: isReviewing } });
  return undefined;
};
