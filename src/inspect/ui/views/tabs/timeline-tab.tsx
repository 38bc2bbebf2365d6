import type { VNode } from 'preact';
import type { TimelineAnswer, TimelineRow, TimelineSummary } from '../../../api.ts';
import { useResource } from '../../live/use-resource.ts';
import { formatCount, formatDuration, formatSpan, shortId } from '../../model/format-values.ts';
import { routeHref } from '../../model/route.ts';
import { piecesOf, timelineLines, type TimelinePiece } from '../../model/timeline-lines.ts';
import { positionIn, ticksOf, type Stretch } from '../../model/timeline-scale.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import { useDashboard, usePage } from '../context.ts';

/** When a thread and those below it were there. */
export function TimelineTab({ id }: { readonly id: string }): VNode {
  const { api } = useDashboard();
  const version = usePage((state) => state.version);
  const answer = useResource<TimelineAnswer>({
    key: id,
    version,
    everyMs: 2_000,
    read: (signal) => api.get('timeline', { query: { root: id }, signal }),
  });
  const timeline = answer.value;
  return (
    <section class="timeline" aria-label="Timeline">
      <FailureNote of={answer} what="The timeline" />
      {timeline && <Lines timeline={timeline} />}
      <p class="budget-key" aria-hidden="true">
        <span class="key span-queued" /> queued <span class="key span-running" /> running{' '}
        <span class="key span-suspended" /> suspended
        {timeline?.rows.some(({ unread }) => unread) && (
          <>
            {' '}
            <span class="key span-unread" /> not read
          </>
        )}
      </p>
    </section>
  );
}

function Lines({ timeline }: { readonly timeline: TimelineAnswer }): VNode {
  const stretch = { fromMs: timeline.from_ms, toMs: timeline.to_ms };
  const ticks = ticksOf(stretch);
  return (
    <div class="gantt">
      <div class="gantt-row gantt-scale" aria-hidden="true">
        <span class="gantt-name" />
        <span class="gantt-lane">
          {ticks.map(({ at, sinceMs }) => (
            <span key={sinceMs} class="tick number" style={{ left: percent(at) }}>
              {sinceMs === 0 ? '0' : sinceMs < 1_000 ? formatDuration(sinceMs) : formatSpan(sinceMs)}
            </span>
          ))}
        </span>
      </div>
      <ul class="gantt-rows">
        {timelineLines(timeline).map((line) =>
          line.kind === 'thread' ? (
            <ThreadLine key={line.row.id} row={line.row} stretch={stretch} />
          ) : (
            <SummaryLine key={`rest of ${line.summary.parent}`} summary={line.summary} stretch={stretch} />
          ),
        )}
      </ul>
    </div>
  );
}

function ThreadLine({ row, stretch }: { readonly row: TimelineRow; readonly stretch: Stretch }): VNode {
  const { id, depth, directive, status, start_ms: start, end_ms: end } = row;
  const length = formatDuration((end ?? stretch.toMs) - start);
  const pieces = piecesOf(row, stretch.toMs).map((piece) => ({ ...piece, text: pieceText(piece) }));
  return (
    <li class="gantt-row">
      <span class="gantt-name" style={{ '--depth': String(Math.min(8, depth)) }}>
        <StatusMark status={status} bare />
        <a href={routeHref({ view: 'thread', id, tab: 'machine' })} title={id}>
          {directive}
        </a>
        <span class="id">{shortId(id)}</span>
      </span>
      <span class="gantt-lane">
        {pieces.map(({ state, from_ms: from, to_ms: to, text }) => (
          <span key={from} class={`span span-${state}`} title={text} style={between(stretch, from, to)} />
        ))}
        <span class="unseen">{`${length}, of that ${pieces.map(({ text }) => text).join(', ')}`}</span>
      </span>
      <span class="gantt-time number">{length}</span>
    </li>
  );
}

function pieceText({ state, from_ms: from, to_ms: to }: TimelinePiece): string {
  const length = formatDuration(to - from);
  return state === 'unread' ? `${length} of its log not read` : `${state} ${length}`;
}

function SummaryLine({ summary, stretch }: { readonly summary: TimelineSummary; readonly stretch: Stretch }): VNode {
  return (
    <li class="gantt-row gantt-summary">
      <span class="gantt-name quiet" style={{ '--depth': String(Math.min(8, summary.depth)) }}>
        {formatCount(summary.threads)} others
      </span>
      <span class="gantt-lane">
        <span class="span span-others" style={between(stretch, summary.start_ms, summary.end_ms)} />
      </span>
      <span class="gantt-time number">{formatDuration(summary.end_ms - summary.start_ms)}</span>
    </li>
  );
}

function between(stretch: Stretch, from: number, to: number): { left: string; width: string } {
  const left = positionIn(stretch, from);
  return { left: percent(left), width: percent(positionIn(stretch, to) - left) };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(3)}%`;
}
