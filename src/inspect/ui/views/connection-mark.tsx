import type { VNode } from 'preact';
import { formatCount } from '../model/format-values.ts';
import { followedLevels } from '../live/tree-reader.ts';
import { useNow } from '../parts/use-now.ts';
import { usePage } from './context.ts';

/** How current the page is: live, read-only, lost, and what it has missed. */
export function ConnectionMark(): VNode {
  const connection = usePage((state) => state.connection);
  const project = usePage((state) => state.project);
  const dropped = usePage((state) => state.dropped);
  const unfollowed = usePage((state) => followedLevels(state.tree).others.length);
  return (
    <p class="connection" role="status">
      {connection.kind === 'lost' ? (
        <Lost retryAtMs={connection.retryAtMs} why={connection.failure.message} />
      ) : connection.kind === 'connecting' ? (
        <span class="connection-wait">connecting…</span>
      ) : project?.runtime === null ? (
        <span class="connection-wait" title="No runtime holds the project: it can be read, and nothing changed">
          ◇ no runtime
        </span>
      ) : (
        <span class="connection-good">● live</span>
      )}
      {unfollowed > 0 && (
        <span class="connection-wait" title="The levels that were opened last are followed; close some of them">
          {formatCount(unfollowed)} open {unfollowed === 1 ? 'level' : 'levels'} not live
        </span>
      )}
      {dropped > 0 && (
        <span class="connection-wait" title="This page was too slow for them; what is shown was read again">
          {formatCount(dropped)} dropped
        </span>
      )}
    </p>
  );
}

type LostProps = { readonly retryAtMs: number; readonly why: string };

/** Why is told once; the countdown is for those who see it. */
function Lost({ retryAtMs, why }: LostProps): VNode {
  const seconds = Math.max(0, Math.ceil((retryAtMs - useNow(500)) / 1_000));
  return (
    <>
      <span class="connection-bad">✕ not connected: {why}</span>
      <span class="connection-wait" aria-hidden="true">
        {seconds > 0 ? `again in ${seconds} s` : 'again now'}
      </span>
    </>
  );
}
