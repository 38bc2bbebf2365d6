import type { VNode } from 'preact';
import type { ThreadAnswer, ThreadRow } from '../../api.ts';
import { asWords, formatCount, formatDuration, formatTime, formatUsd, shortId } from '../model/format-values.ts';
import { hasEnded, lifeMs } from '../model/thread-life.ts';
import { routeHref } from '../model/route.ts';
import { StatusMark } from '../parts/status-mark.tsx';
import { useNow } from '../parts/use-now.ts';
import { ThreadActions } from './thread-actions.tsx';

/** What a thread is and how it stands, and what can be done about it. */
export function ThreadHead({ answer }: { readonly answer: ThreadAnswer }): VNode {
  const { thread, ancestors, machine, chain, ending } = answer;
  return (
    <header class="thread-head">
      <nav class="crumbs" aria-label="Threads above it">
        <a href={routeHref({ view: 'threads' })}>Threads</a>
        {ancestors.map((one) => (
          <a key={one.id} href={routeHref({ view: 'thread', id: one.id, tab: 'machine' })}>
            {one.directive}
          </a>
        ))}
      </nav>
      <div class="thread-title">
        <h1>{thread.directive}</h1>
        <StatusMark status={thread.status} />
        {thread.suspend_reason !== undefined && <span class="reason">{thread.suspend_reason}</span>}
        {thread.status === 'running' && <span class="reason">{asWords(machine.state.split('.').at(-1) ?? '')}</span>}
      </div>
      <p class="thread-id">
        <code>{thread.id}</code> with <code>{thread.model}</code>, since{' '}
        <span class="number">{formatTime(thread.created_at_ms, Date.now())}</span>
      </p>
      {ending?.error && (
        <p class="failure">
          <code>{ending.error.code}</code> {ending.error.message}
        </p>
      )}
      <Facts thread={thread} limits={answer.limits} />
      {chain.length > 1 && (
        <p class="chain">
          Goes on over {chain.length} threads:{' '}
          {chain.map(({ id, status }) => (
            <a
              key={id}
              href={routeHref({ view: 'thread', id, tab: 'machine' })}
              {...(id === thread.id && { 'aria-current': 'true' })}
            >
              {shortId(id)} <StatusMark status={status} bare />
            </a>
          ))}
        </p>
      )}
      <ThreadActions thread={thread} />
    </header>
  );
}

function Facts({ thread, limits }: { readonly thread: ThreadRow; readonly limits: ThreadAnswer['limits'] }): VNode {
  const now = useNow();
  const tokens = thread.input_tokens + thread.output_tokens;
  return (
    <dl class="facts">
      <Fact name="Turns" value={formatCount(thread.turns)} of={limits && formatCount(limits.turns)} />
      <Fact name="Tokens" value={formatCount(tokens)} of={limits && formatCount(limits.tokens)} />
      <Fact name="Its calls" value={formatUsd(thread.spend)} />
      <Fact name="With children" value={formatUsd(thread.tree_spend)} of={limits && formatUsd(limits.spend)} />
      {/* Not what its limit counts, which stands still in a suspension and goes on over a hand-over. */}
      <Fact name={hasEnded(thread.status) ? 'Took' : 'For'} value={formatDuration(lifeMs(thread, now))} />
    </dl>
  );
}

function Fact({
  name,
  value,
  of,
}: {
  readonly name: string;
  readonly value: string;
  readonly of?: string | null;
}): VNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="number">
        {value}
        {of != null && <span class="fact-of"> / {of}</span>}
      </dd>
    </div>
  );
}
