import { expect, test } from 'vitest';
import type { ThreadId, ThreadNo } from './ids.ts';
import { NO_COST } from './limits.ts';
import type { WorkerReport } from './protocol.ts';
import { cleanReport } from './redact-report.ts';
import { createRedactor } from './redactor.ts';

const SECRET = 'kelp-and-moss';
const thread = 1 as ThreadNo;
const events = { type: 'events', thread, lines: `{"text":"${SECRET}"}\n`, stored: true } as const;
const successor = { thread: 2 as ThreadNo, threadId: 'thread-2' as ThreadId } as Extract<
  WorkerReport,
  { type: 'continued' }
>['successor'];

test.each<WorkerReport>([
  events,
  { type: 'ended', thread, ending: `{"text":"${SECRET}"}`, last: events },
  { type: 'ended', thread, ending: '{}', last: events },
  { type: 'continued', thread, ending: '{}', successor, last: events },
  { type: 'suspended', thread, reason: 'user', cost: NO_COST, last: events },
  { type: 'problem', failure: { code: 'internal', message: SECRET } },
])('A report has no secret: %o', (report) => {
  const clean = JSON.stringify(cleanReport(report, createRedactor([SECRET])));
  expect(clean).toContain('[redacted]');
  expect(clean).not.toContain(SECRET);
});
