import { readEnding } from '../../core/ending.ts';
import { toFailure } from '../../core/errors.ts';
import type { ThreadNo } from '../../core/ids.ts';
import type { EventsReport, WorkerReport } from '../../core/protocol.ts';
import { failed, ok } from '../../core/result.ts';
import { hasLeft, hasStayed } from './absence.ts';
import type { BackOffs } from './back-offs.ts';
import { suspendUnread } from '../rest/failed-resumption.ts';
import type { HostContext } from '../host-context.ts';
import type { QuestionHandler } from './questions.ts';
import { endParked } from '../rest/parked-ending.ts';
import { reportEmpty } from '../endings/report-empty.ts';
import { joinChildren } from '../endings/thread-ending.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { createUntoldProblems } from './untold-problems.ts';

/** What handling reports needs. */
export type ReportsOptions = {
  readonly host: HostContext;
  readonly questions: QuestionHandler;
  readonly backOffs: BackOffs;
  /** A worker will say nothing more. */
  readonly gone: (worker: number) => void;
  /** A worker has come upon a secret. */
  readonly secretFound: (value: string) => void;
};

type ReportHandler = (worker: number, report: WorkerReport) => void;

/** Handles what workers report. */
export function createReportHandler({ host, questions, backOffs, gone, secretFound }: ReportsOptions): ReportHandler {
  const isUntold = createUntoldProblems();
  return (worker, report) => {
    switch (report.type) {
      case 'prepared':
        return host.questions.answer(report.ref, ok(report.spec));
      case 'refused':
        return host.questions.answer(report.ref, failed(report.failure));
      case 'spawn':
      case 'spawned':
      case 'succeed':
      case 'wait':
      case 'waitAgain':
      case 'orchestrate':
      case 'checkOutputs':
      case 'symbols':
      case 'hostCall':
        return questions.ask(worker, report);
      case 'heard':
        return host.messages.answer(report.ref, report.failure ? failed(report.failure) : ok(undefined));
      case 'abandon':
        return questions.abandon(worker, report);
      case 'yield':
        return host.tell({ type: 'WAITING', thread: report.thread });
      case 'join':
        return joinChildren(host, host.table.get(report.thread));
      case 'ended':
        return ended(host, report, worker);
      case 'continued':
        return handedOver(host, report, worker);
      case 'hooksDone':
        return endHooks(host, report.thread, worker);
      case 'suspended':
        return suspended(host, report);
      case 'left':
        return hasLeft(host, host.table.get(report.thread), report);
      case 'stays':
        return hasStayed(host, host.table.get(report.thread));
      case 'startFailed':
        return endParked(host, host.table.get(report.thread), { status: 'error', failure: report.failure });
      case 'resumeFailed':
        return notResumed(host, report);
      case 'providerRefused':
        return backOffs.refused(report);
      case 'providerAnswered':
        return backOffs.answered(report);
      case 'secretFound':
        return secretFound(report.value);
      case 'events':
      case 'stored':
        return deliver(host, host.table.get(report.thread), report);
      case 'inspected':
        return host.inspection?.heard(worker, report.news);
      case 'gone':
        return gone(worker);
      case 'problem':
        return isUntold(report.failure) ? host.problem(report.failure) : undefined;
    }
  };
}

type Report<Type extends WorkerReport['type']> = Extract<WorkerReport, { type: Type }>;

function ended(host: HostContext, { thread, ending, hooksLeft, last }: Report<'ended'>, worker: number): void {
  if (hooksLeft) host.lastHooks.begin(thread, worker);
  const entry = host.table.get(thread);
  host.tell({ type: 'ENDED', thread, ending: readEnding(ending) });
  deliver(host, entry, last);
}

function notResumed(host: HostContext, report: Report<'resumeFailed'>): void {
  host.problem(report.failure);
  suspendUnread(host, host.table.get(report.thread), report.failure);
}

function handedOver(host: HostContext, report: Report<'continued'>, worker: number): void {
  const { thread, successor, hooksLeft, last } = report;
  if (hooksLeft) host.lastHooks.begin(thread, worker);
  const entry = host.table.get(thread);
  host.tell({ type: 'CONTINUED', thread, ending: readEnding(report.ending), successor });
  deliver(host, entry, last);
}

function suspended(host: HostContext, { thread, reason, cost, approval, last }: Report<'suspended'>): void {
  const entry = host.table.get(thread);
  host.tell({ type: 'SUSPENDED', thread, reason, cost });
  deliver(host, entry, last);
  if (approval !== undefined) host.approvals.tell('requested', approval);
}

/** `entry`: from before the report was handled, since the table may have let go of it by then. */
function deliver(host: HostContext, entry: ThreadEntry | undefined, events: EventsReport | undefined): void {
  if (!entry || !events) return;
  const lines = events.type === 'events' ? events.lines : storedLines(host, events);
  if (lines !== undefined) host.feed.deliver(entry, lines);
}

/** Events that were on their way to the store when somebody began to listen: one read each, of those that were under way then. */
function storedLines(
  { feed, reader, problem }: HostContext,
  { thread, first }: Extract<EventsReport, { type: 'stored' }>,
): string | undefined {
  if (!feed.hears(thread)) return undefined;
  try {
    return reader.logPage(thread, { from: first }).find((chunk) => chunk.first === first)?.lines;
  } catch (thrown) {
    problem(toFailure(thrown));
    return undefined;
  }
}

/** A worker that was kept for them alone may end. */
function endHooks(host: HostContext, thread: ThreadNo, worker: number): void {
  host.lastHooks.end(thread);
  host.crew.left(worker);
  reportEmpty(host);
}
