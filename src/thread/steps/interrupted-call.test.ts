import { expect, test } from 'vitest';
import type { ThreadMachineEvent } from '../../../machines/thread.machine.ts';
import { createThreadBench } from '../../../test/fixtures/thread-bench.ts';
import type { Failure } from '../../core/errors.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import type { Tool } from '../../core/tool.ts';
import type { ThreadPlan } from '../plan/plan.ts';
import type { ToolRequest } from '../tools/tool-requests.ts';
import { decideInterrupted } from './interrupted-call.ts';
import { createToolRun } from './tool-run.ts';

const slow = { id: 'app/slow', idempotent: false } as Tool;
const read = { id: 'app/read', idempotent: true } as Tool;

test.each<[string, Partial<ToolRequest>, string | undefined]>([
  ['as the model made it', { ran: undefined }, 'app/slow {"by":"model"}'],
  ['with the input that a hook gave it', { ran: { name: 'slow', input: { by: 'hook' } } }, 'app/slow {"by":"hook"}'],
  [
    'as a tool that may not run twice',
    { name: 'read', tool: ok(read), ran: { name: 'slow', input: {} } },
    'app/slow {}',
  ],
  ['as a tool that is not there', { name: 'read', tool: ok(read), ran: { name: 'gone', input: {} } }, 'gone {}'],
  ['as a tool that may run twice', { ran: { name: 'read', input: {} } }, undefined],
])('Of a call that has run %s a person hears just that', (_name, differs, asked) => {
  const { thread, services } = createThreadBench();
  const tools: Readonly<Record<string, Tool>> = { slow, read };
  const resolve = (name: string): Tool | undefined => tools[name];
  // Of its palette it is looked for a tool only.
  const palette = { resolve, idOf: () => undefined, definitions: [] } as unknown as ThreadPlan['palette'];
  thread.plan = { ...thread.plan, palette };
  const call = { id: 'a', name: 'slow', input: { by: 'model' } };
  const request = { call, name: 'slow', input: call.input, tool: ok(slow), subject: undefined, ...differs };
  thread.toolRun = createToolRun([request], true, 7);
  const sent: ThreadMachineEvent[] = [];
  thread.send = (event) => void sent.push(event);
  let passed = false;
  decideInterrupted({ thread, services }, request, () => void (passed = true));
  const message = asked && `Call a was interrupted, and may have had its effect: ${asked}`;
  expect([passed, sent]).toMatchObject(asked ? [false, [{ type: 'SUSPEND', ask: { message } }]] : [true, []]);
});

test.each<[string, Tool, number, boolean]>([
  ['as often as that may be chance', read, 2, false],
  ['more often', read, 3, true],
  [
    'more often, and it only asks the host',
    { ...read, runFor: () => undefined, mayRunAgain: () => true } as Tool,
    3,
    false,
  ],
])('During a call that may run twice runtimes have ended %s', (_name, tool, cutOffs, isAsked) => {
  const { thread, services } = createThreadBench();
  const call = { id: 'a', name: 'read', input: {} };
  const request: ToolRequest = { call, name: call.name, input: {}, tool: ok(tool), subject: undefined };
  thread.toolRun = createToolRun([request], true, 7);
  thread.cutOffs = cutOffs;
  const sent: ThreadMachineEvent[] = [];
  thread.send = (event) => void sent.push(event);
  let passed = false;
  decideInterrupted({ thread, services }, request, () => void (passed = true));
  const message = 'Call a was interrupted by the end of 3 runtimes in a row, and may have caused it: app/read {}';
  expect([passed, sent]).toMatchObject(isAsked ? [false, [{ type: 'SUSPEND', ask: { message } }]] : [true, []]);
});

test.each<[string, Tool, { readonly at: number; readonly cutOffs: number }, boolean]>([
  ['that may run twice holds when its runtime is closed', read, { at: 9, cutOffs: 3 }, false],
  ['that may run twice holds when a limit breaks it off', read, { at: 0, cutOffs: 3 }, false],
  ['that may run twice does not hold when one more runtime ends during it', read, { at: 9, cutOffs: 4 }, true],
  ['that may not run twice does not hold when its runtime is closed', slow, { at: 9, cutOffs: 3 }, true],
])('A grant of a call %s', (_name, tool, then, isAsked) => {
  const { thread, services } = createThreadBench();
  const call = { id: 'a', name: 'called', input: {} };
  const request: ToolRequest = { call, name: call.name, input: {}, tool: ok(tool), subject: undefined };
  const points: (string | undefined)[] = [];
  thread.send = (event) => void (event.type === 'SUSPEND' && points.push(event.ask?.point));
  const decide = (now: typeof then): boolean => {
    thread.toolRun = createToolRun([request], true, now.at);
    thread.cutOffs = now.cutOffs;
    let passed = false;
    decideInterrupted({ thread, services }, request, () => void (passed = true));
    return passed;
  };
  expect(decide({ at: 7, cutOffs: 3 })).toBe(false);
  // By its first word it is known that a denial is one of the call.
  expect(points).toEqual([expect.stringMatching(/^interrupted /)]);
  thread.answers = new Map([[points[0] ?? '', { granted: true, by: 'ann' }]]);
  expect(decide({ at: 7, cutOffs: 3 })).toBe(true);
  expect([decide(then), points.length]).toEqual([!isAsked, isAsked ? 2 : 1]);
});

test.each<[string, Result<Tool>, Failure]>([
  [
    'names no tool keeps the code of that',
    failed({ code: 'tool_unknown', message: 'There is none' }),
    { code: 'tool_unknown', message: 'The call was interrupted and has not been run again. There is none' },
  ],
  [
    'a person has denied has failed',
    ok({ idempotent: false } as Tool),
    { code: 'tool_failed', message: 'The call was interrupted and has not been run again. Denied by ann' },
  ],
])('An interrupted call that %s', (_name, tool, failure) => {
  const { thread, services } = createThreadBench();
  const call = { id: 'a', name: 'made_up', input: {} };
  const request: ToolRequest = { call, name: call.name, input: {}, tool, subject: undefined };
  thread.toolRun = createToolRun([request], true, 7);
  thread.answers = new Map([['interrupted 7 a', { granted: false, by: 'ann' }]]);
  const left: ToolRequest[] = [];
  decideInterrupted({ thread, services }, request, (decided) => void left.push(decided));
  expect(left.map(({ tool }) => tool)).toEqual([failed(failure)]);
});
