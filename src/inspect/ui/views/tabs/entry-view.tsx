import type { VNode } from 'preact';
import { formatDuration, formatTime, shortId } from '../../model/format-values.ts';
import { routeHref } from '../../model/route.ts';
import type { TranscriptEntry } from '../../model/transcript-entries.ts';
import { WholeEvent } from './whole-event.tsx';

/** An entry of a transcript; texts of models and tools are text and nothing else. */
export function EntryView(props: {
  readonly id: string;
  readonly entry: TranscriptEntry;
  /** It was asked for: nothing of it is folded. */
  readonly isFound?: boolean;
  /** Forks after a step; undefined: nothing can be changed. */
  readonly onFork: ((at: number) => void) | undefined;
}): VNode {
  const { id, entry, isFound = false, onFork } = props;
  const kind = entry.kind === 'said' ? `said entry-${entry.by}` : entry.kind;
  return (
    <li class={`entry entry-${kind}${isFound ? ' entry-found' : ''}`} id={`step-${entry.sequence}`}>
      <p class="entry-head">
        <Head entry={entry} />
        <span class="entry-place number">
          #{entry.sequence} {formatTime(entry.atMs, Date.now())}
        </span>
        {entry.kind !== 'note' && onFork && (
          <button type="button" class="link entry-fork" onClick={() => onFork(entry.upTo)}>
            Fork…
          </button>
        )}
      </p>
      {entry.kind === 'said' && (
        <Text text={entry.text} isFolded={!isFound && (entry.by === 'system' || entry.by === 'reasoning')} />
      )}
      {entry.kind === 'tool' && <ToolParts entry={entry} isOpen={isFound} />}
      {entry.cut.map((sequence) => (
        <WholeEvent key={sequence} id={id} sequence={sequence} what={cutName(entry, sequence)} />
      ))}
    </li>
  );
}

function Head({ entry }: { readonly entry: TranscriptEntry }): VNode {
  switch (entry.kind) {
    case 'said':
      return (
        <span class="entry-label">
          {entry.label}
          <Remark of={entry} />
        </span>
      );
    case 'tool':
      return <ToolLabel entry={entry} />;
    case 'note':
      return (
        <span class={`entry-note tone-${entry.tone}`}>
          {entry.text}{' '}
          {entry.thread !== undefined && (
            <a href={routeHref({ view: 'thread', id: entry.thread, tab: 'machine' })}>{shortId(entry.thread)}</a>
          )}
        </span>
      );
  }
}

function Remark({ of: { remark } }: { readonly of: { readonly remark: string } }): VNode | null {
  return remark === '' ? null : <span class="quiet"> ({remark})</span>;
}

type ToolEntry = Extract<TranscriptEntry, { kind: 'tool' }>;

function ToolLabel({ entry }: { readonly entry: ToolEntry }): VNode {
  const state = entry.output === undefined ? 'running' : entry.failed ? 'failed' : 'done';
  return (
    <span class="entry-label">
      Tool <code>{entry.tool}</code>{' '}
      <span class={`tool-state tool-${state}`}>
        {state === 'failed' ? '✕ failed' : state === 'done' ? '✓ done' : '▶ running'}
        {entry.durationMs !== undefined && ` in ${formatDuration(entry.durationMs)}`}
      </span>
      <Remark of={entry} />
    </span>
  );
}

function ToolParts({ entry, isOpen }: { readonly entry: ToolEntry; readonly isOpen: boolean }): VNode {
  return (
    <div class="tool-parts">
      <details open={isOpen}>
        <summary>
          Input <span class="peek">{oneLine(entry.input)}</span>
        </summary>
        <pre>{entry.input}</pre>
      </details>
      {entry.output !== undefined && (
        <details open={isOpen}>
          <summary>
            {entry.failed ? 'Error' : 'Result'} <span class="peek">{oneLine(entry.output)}</span>
          </summary>
          <pre>{entry.output}</pre>
        </details>
      )}
    </div>
  );
}

function Text({ text, isFolded }: { readonly text: string; readonly isFolded: boolean }): VNode | null {
  if (text === '') return null;
  if (!isFolded) return <div class="entry-text">{text}</div>;
  return (
    <details>
      <summary>
        <span class="peek">{oneLine(text)}</span>
      </summary>
      <div class="entry-text">{text}</div>
    </details>
  );
}

function cutName(entry: TranscriptEntry, sequence: number): string {
  if (entry.kind !== 'tool') return 'The event';
  return entry.output !== undefined && sequence === entry.upTo ? 'The result' : 'The call';
}

/** The beginning of a text on one line. */
function oneLine(text: string): string {
  return text.slice(0, 160).replaceAll(/\s+/g, ' ');
}
