import { toFailure } from '../core/errors.ts';
import { heirOf } from './endings/heir.ts';
import { findEntry, type EntrySources } from './rest/find-entry.ts';
import type { HostContext } from './host-context.ts';
import type { StoreNews } from '../core/store-worker.ts';

/**
 * Does what the store's news ask for: passes a problem on, cancels a thread whose folder has a `.cancel` file, or the one that
 * it has handed over to.
 */
export function heedStore(news: StoreNews, host: Pick<HostContext, 'tell' | 'problem'> & EntrySources): void {
  if (news.type === 'problem') return host.problem(news.failure);
  try {
    const { thread } = heirOf(findEntry(news.threadId, host), host).lineage;
    return host.tell({ type: 'CANCEL', thread, reason: 'a .cancel file asks for it' });
  } catch (thrown) {
    // A damaged row is that thread's trouble.
    return host.problem(toFailure(thrown));
  }
}
