import type { EventsReport, WorkerReport } from './protocol.ts';
import type { Redactor } from './redactor.ts';

/**
 * A worker's report without secrets in what people get to see of it: events, endings, failures, actors. Questions to the host stay as
 * they are, since it acts on them; what it then stores or tells is looked through there.
 */
export function cleanReport(report: WorkerReport, redactor: Redactor): WorkerReport {
  switch (report.type) {
    case 'events':
    case 'stored':
      return cleanEvents(report, redactor);
    case 'inspected':
      return { ...report, news: redactor.text(report.news) };
    case 'ended':
    case 'continued': {
      const ending = redactor.text(report.ending);
      return withCleanLast(ending === report.ending ? report : { ...report, ending }, redactor);
    }
    case 'suspended':
      return withCleanLast(report, redactor);
    case 'problem':
    case 'refused':
    case 'startFailed':
    case 'resumeFailed':
      return { ...report, failure: redactor.data(report.failure) };
    default:
      return report;
  }
}

function cleanEvents(report: EventsReport, redactor: Redactor): EventsReport {
  return report.type === 'events' ? { ...report, lines: redactor.text(report.lines) } : report;
}

function withCleanLast<Report extends { readonly last?: EventsReport | undefined }>(
  report: Report,
  redactor: Redactor,
): Report {
  return report.last ? { ...report, last: cleanEvents(report.last, redactor) } : report;
}
