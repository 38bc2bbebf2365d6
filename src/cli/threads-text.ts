import type { OperationName, OperationResult, ThreadOutcome } from '../core/operations.ts';
import { formatUsd, usdToNano } from '../core/money.ts';
import { eventLine } from './event-text.ts';
import { formatCount, plural } from './format.ts';
import { printable, printableJson } from './printable.ts';

/** Makes a line that begins with an id as wide as there is room for; what else is said stays whole. */
type Fit = (line: string) => string;

/** What an operation gave, for a person; ends with a line break. */
export function answerText(name: OperationName, result: object, fit: Fit): string {
  // Name, result and text belong together by the table.
  const lines = (TEXTS[name] as (result: object, fit: Fit) => readonly string[])(result, fit);
  return lines.map((line) => `${line}\n`).join('');
}

type Texts = { readonly [Name in OperationName]: (result: OperationResult<Name>, fit: Fit) => readonly string[] };

const TEXTS: Texts = {
  wait_threads: ({ results }) => results.map(outcomeLine),
  cancel_thread: ({ cancelled }) => [`Cancelled: ${printable(cancelled)}`],
  kill_thread: ({ killed, threads }) => [`Killed: ${printable(killed)}, ${plural(threads, 'thread')}`],
  get_status: statusLines,
  list_active: ({ active_threads: ids, count }) => [
    ...ids.map(printable),
    ...(count > ids.length ? [`and ${formatCount(count - ids.length)} more`] : []),
    ...(count === 0 ? ['Nothing runs'] : []),
  ],
  list_threads: ({ threads, more, next }, fit) => [
    ...(threads.length === 0 ? ['No threads'] : summaryLines(threads, fit)),
    ...(more ? [`There are more${next === undefined ? '' : `: --after ${printable(next)}`}`] : []),
  ],
  list_children: ({ children, next }, fit) => [
    ...(children.length === 0 ? ['No children'] : summaryLines(children, fit)),
    ...(next === undefined ? [] : [`There are more: --after ${printable(next)}`]),
  ],
  resume_thread: (result) => outcomeLines(result) ?? [`Resumed: ${printable(result.thread_id)}`],
  suspend_thread: ({ thread_id: id, status }) => [`${printable(id)}: ${status}`],
  inspect_thread: ({ state }) => [state === undefined ? 'In no worker' : printable(state)],
  fork_thread: (result) =>
    outcomeLines(result) ?? [`Forked: ${printable(result.thread_id)} from ${printable(result.forked_from)}`],
  handoff_thread: (result) => [
    `${printable(result.thread_id)} handed over to ${printable(result.successor ?? 'a successor')}`,
    ...(outcomeLines(result) ?? []),
  ],
  get_chain: ({ chain }, fit) => summaryLines(chain, fit),
  chain_search: ({ hits, more }) => [
    ...hits.map(
      ({ thread_id: id, sequence, event_type: type, snippet }) =>
        `${printable(id)}  #${sequence}  ${printable(type)}  ${printable(snippet)}`,
    ),
    ...(hits.length === 0 ? ['Nothing found'] : []),
    ...(more ? ['There are more: --limit N, or other words'] : []),
  ],
  read_transcript: ({ events, left_out: leftOut }) => [
    ...(leftOut > 0 ? [`[${plural(leftOut, 'event')} before these left out: --tail N, --max-bytes N]`] : []),
    ...events.map(eventLine),
  ],
  read_events: ({ events, last, more }) => [
    ...events.map(eventLine),
    ...(more ? [`There are more: --after ${last}`] : []),
  ],
  view_runtime: ({ running, queued, workers }) => [
    `${formatCount(running)} running, ${formatCount(queued)} queued, ${plural(workers.length, 'worker')}`,
  ],
  aggregate_results: ({ results, total }) => [...results.map(outcomeLine), `Total: ${costText(total)}`],
};

type Cost = OperationResult<'aggregate_results'>['total'];

/** How a thread ended that was waited for here. */
function outcomeLines(result: object): readonly string[] | undefined {
  const { outcome } = result as { readonly outcome?: ThreadOutcome };
  return outcome && [outcomeLine(outcome)];
}

/** `thread-…  suspended  limit` */
export function outcomeLine({ thread_id: id, status, result, error }: ThreadOutcome): string {
  // Why it is suspended is said as `suspended: limit`.
  const said = error?.replace(`${status}: `, '') ?? result ?? '';
  const text = typeof said === 'string' ? printable(said) : printableJson(said);
  return `${printable(id)}  ${status}${text === '' ? '' : `  ${text}`}`;
}

function summaryLines(threads: OperationResult<'get_chain'>['chain'], fit: Fit): readonly string[] {
  return threads.map(({ thread_id: id, status, directive, cost }) =>
    fit(`${printable(id)}  ${status.padEnd(9)}  ${printable(directive)}  ${costText(cost)}`),
  );
}

function statusLines(result: OperationResult<'get_status'>): readonly string[] {
  const { thread_id: id, status, directive, cost, tree_spend: tree, approval } = result;
  const { parent_thread_id: parent, suspend_reason: reason } = result;
  return [
    `${printable(id)}  ${status}${reason === undefined ? '' : ` (${printable(reason)})`}`,
    `directive: ${printable(directive)}`,
    `cost: ${costText(cost)}${tree === cost.spend ? '' : `, with all below it ${formatUsd(usdToNano(tree))}`}`,
    ...(parent === undefined ? [] : [`parent: ${printable(parent)}`]),
    ...(approval === undefined
      ? []
      : [
          `waits for approval ${printable(approval.approval_id)}: ` +
            (approval.limit_code === undefined
              ? printable(approval.message ?? '')
              : `${printable(approval.limit_code)}, ${approval.current_value} of ${approval.current_max}`),
        ]),
  ];
}

function costText({ turns, input_tokens: input, output_tokens: output, spend }: Cost): string {
  return `${plural(turns, 'turn')} · ${formatCount(input + output)} tokens · ${formatUsd(usdToNano(spend))}`;
}
