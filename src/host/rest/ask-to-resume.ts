import type { Result } from '../../core/result.ts';
import type { HostContext } from '../host-context.ts';
import type { ResumeOrder } from './resume.ts';
import type { ThreadEntry } from './thread-table.ts';

/** Has a suspended or ended thread go on; resolves to who does, once that is on disk, or to why it does not. */
export function askToResume(
  { tell }: Pick<HostContext, 'tell'>,
  order: Omit<ResumeOrder, 'done'>,
): Promise<Result<ThreadEntry>> {
  return new Promise((done) => tell({ type: 'RESUME', order: { ...order, done } }));
}
