import type { WorkerReport } from '../core/protocol.ts';
import { failed, ok } from '../core/result.ts';
import { answerThread } from './admission.ts';
import type { AdmissionOrder, HostContext } from './host-context.ts';
import type { HostFunctions } from './host-functions.ts';
import { orchestrate } from './orchestrate.ts';
import { refuseAdmission, type Supervisor } from './supervisor.ts';
import { joinChildren } from './thread-ending.ts';
import { waitForThreads } from './waits.ts';

/** What handling reports needs. */
export type ReportsOptions = {
  readonly host: HostContext;
  readonly supervisor: Supervisor;
  readonly functions: HostFunctions;
  /** How a thread stands that is not in memory. */
  readonly recall: Parameters<typeof waitForThreads>[1]['recall'];
};

type Question<Type> = Extract<WorkerReport, { type: Type }>;

/** Handles what workers report and ask; one that a worker abandons is not answered. */
export function createReportHandler(options: ReportsOptions): (worker: number, report: WorkerReport) => void {
  const { host, supervisor, functions } = options;
  const giveUps = new Map<string, () => void>();

  const answer = (worker: number, ref: number, value: unknown): void => {
    giveUps.delete(`${worker}:${ref}`);
    host.gateway.send(worker, { type: 'answer', ref, value });
  };
  const refuse = (worker: number, ref: number, failure: Parameters<typeof failed>[0]): void => {
    giveUps.delete(`${worker}:${ref}`);
    host.gateway.send(worker, { type: 'answer', ref, failure });
  };

  const spawnChild = (worker: number, { ref, thread, spec }: Question<'spawn'>): void => {
    const order: AdmissionOrder = {
      spec,
      parent: host.table.get(thread),
      done: (result) =>
        result.ok
          ? answer(worker, ref, { threadId: result.value.lineage.threadId })
          : refuse(worker, ref, result.failure),
    };
    if (supervisor.accepts('PREPARED')) host.tell({ type: 'PREPARED', order });
    else refuseAdmission(supervisor, order);
  };

  const wait = (worker: number, question: Question<'wait'>): void => {
    const { ref, thread, threadIds, timeoutMs, failFast } = question;
    const entry = host.table.get(thread);
    if (!entry) return;
    const giveUp = waitForThreads(
      {
        threadIds,
        timeoutMs,
        until: failFast ? 'failFast' : 'all',
        done: (results) => answerThread(host, entry, () => answer(worker, ref, results)),
      },
      { table: host.table, clock: host.clock, recall: options.recall },
    );
    giveUps.set(`${worker}:${ref}`, giveUp);
  };

  const callFunction = (worker: number, question: Question<'hostCall'>): void => {
    functions.call(question, (result) => {
      if (result.ok) answer(worker, question.ref, result.value);
      else refuse(worker, question.ref, result.failure);
    });
  };

  return (worker, report) => {
    switch (report.type) {
      case 'prepared':
        return host.questions.answer(report.ref, ok(report.spec));
      case 'refused':
        return host.questions.answer(report.ref, failed(report.failure));
      case 'spawn':
        return spawnChild(worker, report);
      case 'wait':
        return wait(worker, report);
      case 'orchestrate':
        return answer(worker, report.ref, orchestrate(host, report, options.recall));
      case 'hostCall':
        return callFunction(worker, report);
      case 'abandon':
        giveUps.get(`${worker}:${report.ref}`)?.();
        giveUps.delete(`${worker}:${report.ref}`);
        return;
      case 'yield':
        return host.tell({ type: 'WAITING', thread: report.thread });
      case 'join':
        return joinChildren(host, host.table.get(report.thread));
      case 'ended':
        return host.tell({ type: 'ENDED', thread: report.thread, ending: report.ending });
      case 'suspended':
        return host.tell({ type: 'SUSPENDED', thread: report.thread, reason: report.reason });
      case 'resumeFailed':
        host.problem(report.failure);
        return host.tell({ type: 'SUSPENDED', thread: report.thread, reason: 'error' });
      case 'events':
        return host.feed.deliver(report.thread, report.lines);
      case 'problem':
        return host.problem(report.failure);
    }
  };
}
