import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ThreadRow } from '../../api.ts';
import { formatCount, formatShort, formatSpan, formatUsd, shortId } from '../model/format-values.ts';
import { lifeMs } from '../model/thread-life.ts';
import type { TreeLine } from '../model/tree-rows.ts';
import { readingOf } from '../model/tree-state.ts';
import { CountsBar } from '../parts/counts-bar.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { useDashboard } from './context.ts';

/** What a row of the tree is, and what is done with it. */
export type TreeRowProps = {
  readonly line: TreeLine;
  /** The thread of a line of that kind. */
  readonly thread: ThreadRow | undefined;
  /** Whether its children are shown; undefined: it is in a list, in which none are. */
  readonly open: boolean | undefined;
  readonly nowMs: number;
  readonly index: number;
  /** Pixels from the top of the tree. */
  readonly top: number;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly onShow: (id: string) => void;
  readonly onToggle: (id: string) => void;
};

/** A name that is in the page once. */
export function lineId({ kind, id }: TreeLine): string {
  return `${kind}-${id}`;
}

/** A row of the tree. It knows nothing but what it is given, so that scrolling changes texts and makes no new rows. */
export function TreeRow(props: TreeRowProps): VNode {
  const { line, thread, open, index, top, isActive, isSelected } = props;
  const isParent = open !== undefined && thread !== undefined && thread.children > 0;
  return (
    <div
      id={lineId(line)}
      role="row"
      class={`row row-${line.kind}${isActive ? ' row-active' : ''}${isSelected ? ' row-selected' : ''}`}
      style={{ transform: `translateY(${top}px)` }}
      aria-level={line.depth}
      aria-rowindex={index + 1}
      aria-selected={isSelected}
      {...(line.kind === 'thread' && { 'aria-posinset': line.position, 'aria-setsize': line.size })}
      {...(isParent && { 'aria-expanded': open })}
      onClick={() => line.kind === 'thread' && props.onShow(line.id)}
    >
      {thread && <ThreadCells {...props} thread={thread} />}
      {line.kind === 'totals' && <TotalsCell line={line} />}
      {line.kind === 'more' && <MoreCell line={line} />}
    </div>
  );
}

type ThreadCellsProps = TreeRowProps & { readonly thread: ThreadRow };

function ThreadCells({ line: { depth }, thread, open, nowMs, onToggle }: ThreadCellsProps): VNode {
  return (
    <>
      <span role="gridcell" class="cell-name" style={indent(depth)}>
        {open !== undefined && thread.children > 0 ? (
          <button
            type="button"
            class="twist"
            tabIndex={-1}
            aria-label={`${open ? 'Close' : 'Open'} the children of ${thread.directive}`}
            onClick={(event) => {
              event.stopPropagation();
              onToggle(thread.id);
            }}
          >
            <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true" class={open ? 'twist-open' : ''}>
              <path d="M4 2l4 4-4 4" fill="none" stroke="currentColor" stroke-width="1.6" />
            </svg>
          </button>
        ) : (
          <span class="twist" />
        )}
        <span class="name" title={thread.id}>
          {thread.directive}
        </span>
        <span class="id">{shortId(thread.id)}</span>
        {thread.children > 0 && <span class="children number">{childrenText(thread.children)}</span>}
      </span>
      <span role="gridcell" class="cell-state">
        <StatusMark status={thread.status} />
        {thread.suspend_reason !== undefined && <span class="reason">{thread.suspend_reason}</span>}
      </span>
      <span role="gridcell" class="cell-turns">
        {formatCount(thread.turns)}
      </span>
      <span role="gridcell" class="cell-tokens">
        {formatShort(thread.input_tokens + thread.output_tokens)}
      </span>
      <span role="gridcell" class="cell-spend" title={`${formatUsd(thread.spend)} its own`}>
        {formatUsd(thread.tree_spend)}
      </span>
      <span role="gridcell" class="cell-time">
        {formatSpan(lifeMs(thread, nowMs))}
      </span>
    </>
  );
}

function TotalsCell({ line }: { readonly line: Extract<TreeLine, { kind: 'totals' }> }): VNode {
  const { counts, threads, spend } = line.totals;
  return (
    <span role="gridcell" class="cell-totals" style={indent(line.depth)}>
      <span class="number">{formatCount(threads)}</span> children
      <CountsBar counts={counts} />
      <span class="number">{formatUsd(spend)}</span>
    </span>
  );
}

/** The rest of a level: to be seen is to be read. */
function MoreCell({ line }: { readonly line: Extract<TreeLine, { kind: 'more' }> }): VNode {
  const { tree } = useDashboard();
  const { next } = line.level;
  const reading = readingOf(line.level);
  useEffect(() => {
    if (reading === 'no') void tree.more(line.id); // A failure is shown here.
  }, [line.id, next, reading === 'no']);
  const text = line.left > 0 ? `${formatCount(line.left)} more` : 'more';
  return (
    <span role="gridcell" class="cell-totals quiet" style={indent(line.depth)}>
      {typeof reading === 'object' ? (
        <>
          Can’t be read: {reading.failed}{' '}
          <button type="button" class="button" onClick={() => void tree.more(line.id)}>
            Again
          </button>
        </>
      ) : (
        `Reading ${text}…`
      )}
    </span>
  );
}

/** Beyond this depth rows stand no further to the right, so that their names can be read. */
const DEEPEST = 12;

function indent(depth: number): { '--depth': string } {
  return { '--depth': String(Math.min(DEEPEST, depth - 1)) };
}

function childrenText(count: number): string {
  return count >= 1_000 ? '1,000+' : formatCount(count);
}
