import type { CacheMark } from '../../core/provider.ts';
import type { Services } from '../services/services.ts';
import type { Thread } from '../thread.ts';

/**
 * Cache marks of a prompt that is not in tiers: a conversation only grows, so each turn reads all of the one before. The system
 * message, which threads of a directive have in common, the message that the last answer was to, which was the last one then
 * (after ten calls it is too far from the end to be looked for), and the last message; none where nothing will be read again (a
 * thread without tools is asked once), or where the whole is too short to be kept. Where only what stands in front
 * of a mark is, that does nothing, at no price: it is not worth a count.
 */
export function flatMarks(thread: Thread, { cacheLimits }: Pick<Services, 'cacheLimits'>): CacheMark[] | undefined {
  const { plan, messages, system, contextTokens, turns } = thread;
  const { breakpoints, minimumTokens } = cacheLimits(plan.model);
  if (breakpoints === 0 || contextTokens < minimumTokens) return undefined;
  // The return tool is always among them.
  if (plan.palette.definitions.length <= 1 && turns === 0) return undefined;
  const answered = messages.findLastIndex(({ role }) => role === 'assistant') - 1;
  const marks: CacheMark[] = [
    ...(system === '' ? [] : ['system' as const]),
    ...(answered < 0 ? [] : [answered]),
    messages.length - 1,
  ];
  return marks.slice(-breakpoints);
}
