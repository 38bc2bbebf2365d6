import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Approval, LimitOverrides, Runtime, ThreadHandle } from '../src/index.ts';
import { echoTool } from './fixtures/echo-tool.ts';
import {
  call,
  NEVER,
  ORCHESTRATE,
  refusal,
  scene,
  SPAWN,
  startOn,
  until,
  type Part,
  type Scene,
} from './fixtures/scene.ts';

/** A cent for each answer of 100 tokens; before a call the worst case of 10 cents is reserved. */
const MODELS = {
  main: {
    provider: 'scripted',
    context_window: 200_000,
    max_output_tokens: 1_000,
    price: { input: 0, output: 100, cache_read: 0, cache_write: 0 },
  },
};
/** A suspended thread gives back what is reserved for it. */
const RELEASE = { operations: { release: { on_status: ['completed', 'cancelled', 'error', 'suspended'] } } };

const USAGE = { input_tokens: 100, output_tokens: 100 };
const asks = (event: string): string => `<hook id="gate" event="${event}"><action function="picky"/></hook>`;
const echo = (...texts: readonly string[]): Part['says'][number] => ({
  tool_calls: texts.map((text) => ({ name: 'app_echo', input: { text } })),
  usage: USAGE,
});
const TOLD = { text: 'told: ${last.results}', usage: USAGE };

const PARTS: Record<string, Part> = {
  calls: { hooks: asks('before_tool'), says: [echo('a', '!b', '!b', 'c'), TOLD] },
  twice: { hooks: asks('before_tool'), says: [echo('!x'), echo('!x'), TOLD] },
  busy: { limits: { turns: 1 }, says: [echo('a'), echo('b'), { text: 'done', usage: USAGE }] },
  still: { limits: { turns: 3, tokens: 350, duration_seconds: 60 }, says: [{ text: 'late', delay_ms: 600_000 }] },
  slow: { says: [NEVER] },
  endless: { limits: { turns: 100 }, says: [echo('a')] },
  dear: {
    says: [
      { ...echo('a'), usage: { output_tokens: 5_000 } },
      { text: 'done', usage: USAGE },
    ],
  },
  parent: {
    says: [
      call(SPAWN, { directive_name: 'twice', async_exec: true }),
      call(ORCHESTRATE, { operation: 'wait_threads', thread_ids: [`\${all.${SPAWN}.0.thread_id}`] }),
      { text: 'it is ${last.result.results.0.status}' },
    ],
  },
};

let it: Scene;
/** What the tool was called with. */
const ran: string[] = [];

beforeAll(async () => {
  it = await scene(PARTS, { config: { agent: { models: MODELS }, budget_ledger_schema: RELEASE } });
  await prepareRuntime(it.runtime);
});
afterAll(() => it[Symbol.asyncDispose]());
beforeEach(() => void ran.splice(0));

async function prepareRuntime(runtime: Runtime): Promise<void> {
  await runtime.registerTool(echoTool(({ text }) => (ran.push(text), text)));
  runtime.registerHook('picky', ({ context }) => {
    const { text } = context['input'] as { readonly text: string };
    return text.startsWith('!') ? { action: 'escalate' } : undefined;
  });
}

async function begin(directive: string, limits: LimitOverrides = {}): Promise<ThreadHandle> {
  return it.runtime.spawn(directive, {}, { limits: { spend: 5, ...limits } });
}

/** What a thread asks once it has come to rest. */
async function asked({ id }: Pick<ThreadHandle, 'id'>): Promise<Approval> {
  await it.runtime.waitAll([id]);
  const [request] = await it.runtime.approvals.list({ thread: id, status: 'pending' });
  if (!request) throw new Error(`${id} asks nothing: ${JSON.stringify(it.project.log(id).slice(-2))}`);
  return request;
}

function count(id: string, type: string): number {
  return it.project.log(id).filter(({ event_type }) => event_type === type).length;
}

describe('Calls that a hook has stopped', () => {
  test('run once each when they are granted, with those beside them, and nobody is asked twice', async () => {
    const { approvals } = it.runtime;
    const handle = await begin('calls');
    const first = await asked(handle);
    expect(first).toMatchObject({ reason: 'approval', message: expect.stringContaining('app/echo {"text":"!b"}') });
    expect([ran, count(handle.id, 'tool_call_start')]).toEqual([[], 0]);
    await approvals.grant(first.approvalId, { message: 'go ahead' });
    // The second of two equal calls is another one.
    const second = await asked(handle);
    expect(second.approvalId).not.toBe(first.approvalId);
    expect(ran).toEqual([]);
    await approvals.grant(second.approvalId);
    expect(await handle.result).toMatchObject({ status: 'completed', cost: { turns: 2 } });
    expect(ran.toSorted()).toEqual(['!b', '!b', 'a', 'c']);
    expect([count(handle.id, 'tool_call_start'), count(handle.id, 'tool_call_result')]).toEqual([4, 4]);
    const said = it.project.log(handle.id).filter(({ event_type }) => event_type === 'cognition_in');
    expect(said.at(-1)?.payload).toMatchObject({ text: 'go ahead' });
  });

  test('are told on the wire to whoever asks by the name of an operation', async () => {
    const { approvals } = it.runtime;
    const { approvalId, askedBy } = await asked(await begin('twice'));
    const told = { approval_id: approvalId, asked_by: askedBy, call: 'app/echo {"text":"!x"}' };
    expect(await approvals.call('get_approval', { approval_id: approvalId })).toMatchObject(told);
    const denial = { approval_id: approvalId, by: 'ann' };
    expect(await approvals.call('deny_approval', denial)).toMatchObject({ status: 'denied', decided_by: 'ann' });
  });

  test('are refused to the model when they are denied, with the reason, and the others run', async () => {
    const { approvals } = it.runtime;
    const handle = await begin('calls');
    await approvals.grant((await asked(handle)).approvalId);
    const { approvalId } = await asked(handle);
    const denied = await approvals.deny(approvalId, { by: 'ann', message: 'not twice' });
    expect(denied).toMatchObject({ status: 'denied', decidedBy: 'ann' });
    const { status, text } = await handle.result;
    expect(status).toBe('completed');
    expect(text).toContain('[permission_denied]: Denied by ann: not twice');
    expect(ran.toSorted()).toEqual(['!b', 'a', 'c']);
    expect(await refusal(() => approvals.grant(approvalId))).toMatchObject({ code: 'approval_settled' });
  });

  test('are asked about anew when the model makes them again in another turn', async () => {
    const handle = await begin('twice');
    await it.runtime.approvals.grant((await asked(handle)).approvalId);
    const again = await asked(handle);
    expect(ran).toEqual(['!x']);
    await it.runtime.approvals.deny(again.approvalId);
    expect((await handle.result).status).toBe('completed');
    expect(ran).toEqual(['!x']);
  });

  test('run in the thread that is resumed, and before it hands over', async () => {
    const handle = await begin('calls');
    await it.runtime.approvals.grant((await asked(handle)).approvalId);
    await asked(handle);
    expect(await it.runtime.orchestrator.handoffThread(handle.id)).toMatchObject({ success: true });
    expect((await handle.result).status).toBe('completed');
    expect(ran.toSorted()).toEqual(['!b', '!b', 'a', 'c']);
    expect(count(handle.id, 'tool_call_result')).toBe(4);
  });

  test('end with their thread when that is cancelled', async () => {
    const handle = await begin('twice');
    const { approvalId } = await asked(handle);
    await handle.cancel();
    expect(await it.runtime.approvals.get(approvalId)).toMatchObject({ status: 'cancelled' });
    expect([ran, count(handle.id, 'tool_call_start')]).toEqual([[], 0]);
  });
});

describe('A child that asks', () => {
  test('is heard as suspended by the parent that waits for it', async () => {
    const handle = await begin('parent');
    expect(await handle.result).toMatchObject({ status: 'completed', text: 'it is suspended' });
  });

  test.each<[string, LimitOverrides, number | undefined]>([
    ['no more turns than its parent has', { turns: 2 }, 3],
    ['no more tokens than its parent has', { turns: 3, tokens: 190 }, 350],
    ['no turns where its parent has none either', { turns: 3 }, undefined],
  ])('is suggested %s', async (_, limits, suggested) => {
    const parent = await begin('still');
    await until(parent, 'thread_started');
    const own = { spend: 0.5, ...limits };
    const child = await it.runtime.spawn('endless', {}, { parent: parent.id, limits: own });
    const request = await asked(child);
    expect(request.suggested).toBe(suggested);
    await parent.cancel();
  });
});

describe('Where suspensions give reservations back', () => {
  test('a grant reserves them again, and is refused as long as that does not fit', async () => {
    const { runtime, project } = it;
    const root = await begin('slow', { spend: 1 });
    await until(root, 'thread_started');
    const child = await runtime.spawn('busy', {}, { parent: root.id, limits: { spend: 0.6 } });
    const { approvalId } = await asked(child);
    const other = await runtime.spawn('slow', {}, { parent: root.id, limits: { spend: 0.7 } });
    const unaffordable = await refusal(() => runtime.approvals.grant(approvalId, { turns: 9 }));
    expect(unaffordable).toMatchObject({ code: 'budget_refused' });
    expect(await asked(child)).toMatchObject({ approvalId, status: 'pending' });
    await other.cancel();
    await runtime.approvals.grant(approvalId, { turns: 9 });
    expect((await child.result).status).toBe('completed');
    await root.cancel();
    const row = project.ledger(root.id);
    expect(row).toMatchObject({ status: 'released', committed: row?.actual });
  });
});

describe('A request', () => {
  test('about a call that cost too much lets the thread go on when it is granted', async () => {
    const handle = await begin('dear');
    const request = await asked(handle);
    expect(request).toMatchObject({ reason: 'budget', askedBy: 'dear, ledger' });
    expect([request.limitCode, request.suggested]).toEqual([undefined, undefined]);
    await it.runtime.approvals.grant(request.approvalId);
    expect(await handle.result).toMatchObject({ status: 'completed', cost: { turns: 2, spend: 0.51 } });
  });

  test('about a call that cost too much ends the thread when it is denied', async () => {
    const handle = await begin('dear');
    await it.runtime.approvals.deny((await asked(handle)).approvalId);
    expect(await handle.result).toMatchObject({ status: 'error', error: { code: 'spend_exceeded' } });
  });

  test('for more time gives the thread that time from where it was', async () => {
    const handle = await begin('slow', { duration_seconds: 1 });
    const request = await asked(handle);
    expect(request).toMatchObject({ limitCode: 'duration_seconds_exceeded', currentMax: 1 });
    expect(request.suggested).toBeGreaterThan(1);
    const same = await refusal(() => it.runtime.approvals.grant(request.approvalId, { durationSeconds: 1 }));
    expect(same).toMatchObject({ code: 'invalid_argument' });
    await it.runtime.approvals.grant(request.approvalId, { durationSeconds: 600 });
    await until(handle, 'thread_resumed');
    expect((await handle.status()).status).toBe('running');
    await handle.cancel();
  });
});

// Last: it closes the runtime.
test('An answer to a runtime that closes is refused and changes nothing, or is on disk, and counts in the next one', async () => {
  const { runtime, project } = it;
  const begun = [await begin('busy'), await begin('busy'), await begin('twice'), await begin('twice')];
  const [granted, late, call1, call2] = await Promise.all(begun.map(asked));
  const { approvals } = runtime;
  const inTime = approvals.grant(granted?.approvalId ?? '', { turns: 9, by: 'ann' });
  const inTimeCall = approvals.grant(call1?.approvalId ?? '', { by: 'ann' });
  const closed = runtime.close({ graceMs: 0 });
  const answers = await Promise.allSettled([
    inTime,
    inTimeCall,
    approvals.grant(late?.approvalId ?? '', { turns: 9 }),
    approvals.deny(call2?.approvalId ?? ''),
  ]);
  await closed;
  expect(answers.slice(2)).toMatchObject([
    { status: 'rejected', reason: { code: 'runtime_closed' } },
    { status: 'rejected', reason: { code: 'runtime_closed' } },
  ]);
  const next = await startOn(project, PARTS, { config: { agent: { models: MODELS } } });
  try {
    await prepareRuntime(next);
    const stored = await Promise.all(
      [granted, call1, late, call2].map((each) => next.approvals.get(each?.approvalId ?? '')),
    );
    const told = answers.slice(0, 2).map(({ status }) => (status === 'fulfilled' ? 'granted' : 'pending'));
    expect(stored.map(({ status }) => status)).toEqual([...told, 'pending', 'pending']);
    for (const { status, approvalId, limitCode } of stored) {
      if (status === 'pending') await next.approvals.grant(approvalId, limitCode ? { turns: 9 } : {});
    }
    const handles = begun.map(({ id }) => next.thread(id));
    for (const handle of handles.slice(0, 2)) {
      if ((await handle.status()).status === 'suspended') await handle.resume();
      expect((await handle.result).status).toBe('completed');
    }
  } finally {
    await next.close({ graceMs: 0 });
  }
});
