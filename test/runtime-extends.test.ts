import { describe, expect, test } from 'vitest';
import { createWorkerBench } from './fixtures/worker-bench.ts';
import { call, give, NEVER, project, scene, SPAWN, startOn, until, type Part } from './fixtures/scene.ts';

const extending = (base: string, more = ''): string =>
  `\`\`\`xml\n<directive name="d" version="1.0.0" extends="${base}">` +
  `<metadata><description>d</description><category>t</category>${more}</metadata></directive>\n\`\`\`\nDo it.\n`;

const ROUTE = `schema_version: '1.0.0'
hooks:
  - { id: tame, event: resolve_extends, condition: { path: directive, op: contains, value: wild }, action: { set_extends: rye/agent/core/base_review } }
`;

/** A directive whose model wants a tool that only the widest base grants, and then reports. */
const BASH: Part = { says: [call('rye_bash', { command: 'true' }), give()] };

describe('Permissions of a chain', () => {
  test.each<[string, boolean, string]>([
    ['a base that grants everything lets it', true, extending('rye/agent/core/base')],
    ['a base for reviews does not', false, extending('rye/agent/core/base_review')],
    [
      'nor does it if the directive asks for it',
      false,
      extending('rye/agent/core/base_review', '<permissions>*</permissions>'),
    ],
  ])('hold for what a thread calls: %s', async (_name, allowed, text) => {
    await using own = await scene({ task: BASH });
    own.project.write('.ai/directives/task.md', text);
    const { payload } = await until(await own.runtime.spawn('task'), 'tool_call_result');
    expect([payload.error === undefined, payload.error?.includes('permission_denied') ?? false]).toEqual([
      allowed,
      !allowed,
    ]);
  });

  test('of a child are narrowed by its parent, however wide its base is', async () => {
    const parent = { tools: ['rye/agent/threads/*'], says: [call(SPAWN, { directive_name: 'child' }), give()] };
    await using own = await scene({ parent, child: BASH });
    own.project.write('.ai/directives/child.md', extending('rye/agent/core/base'));
    const spawned = await own.runtime.spawn('parent');
    const { payload } = await until(spawned, 'child_thread_started');
    await spawned.result;
    const result = own.project.log(payload.child_thread_id).find(({ event_type: type }) => type === 'tool_call_result');
    expect(result).toMatchObject({ payload: { error: expect.stringContaining('rye/bash') } });
  });

  test('hold for a directive that a hook routes, whatever it says itself', async () => {
    using made = project();
    made.write('.ai/config/hooks.yaml', ROUTE);
    made.write('.ai/directives/wild.md', extending('rye/agent/core/base', '<permissions>*</permissions>'));
    await using runtime = await startOn(made, { wild: BASH });
    const { payload } = await until(await runtime.spawn('wild'), 'tool_call_result');
    expect(payload.error).toContain('rye/bash');
  });
});

test('A thread that is read back has the chain that it was admitted with', () => {
  using bench = createWorkerBench({ task: { says: [NEVER] } });
  bench.project.write('.ai/directives/task.md', extending('rye/agent/core/base_review'));
  const thread = bench.start('task');
  const levels = (): readonly string[] | undefined => bench.host.get(thread)?.plan.levels.map(({ id }) => id);
  expect(levels()).toEqual(['rye/agent/core/base_review', 'task']);
  const { system } = bench.host.get(thread) ?? {};
  bench.host.receive({ type: 'suspend', thread, reason: 'user', now: true });
  bench.commit();
  bench.project.write('.ai/directives/task.md', extending('rye/agent/core/base'));
  bench.clock.advance(2000);
  bench.resume(thread);
  bench.commit();
  expect(levels()).toEqual(['rye/agent/core/base_review', 'task']);
  expect(bench.host.get(thread)).toMatchObject({ system });
  expect(bench.host.get(thread)?.plan.allows('sign', 'knowledge', 'a')).toBe(false);
});

test('The log of a thread says what it extends, and what it may do as a tree', () => {
  using bench = createWorkerBench({ task: { says: [NEVER] } });
  bench.project.write('.ai/directives/task.md', extending('rye/agent/core/base_review'));
  const [started] = bench.log(bench.start('task'));
  expect(started).toMatchObject({
    event_type: 'thread_started',
    payload: {
      extends: ['rye/agent/core/base_review'],
      capabilities: [
        'rye.execute.tool.rye.file-system.read',
        '  rye/file-system/read',
        'rye.execute.tool.rye.file-system.ls',
        '  rye/file-system/ls',
        'rye.execute.tool.rye.file-system.glob',
        '  rye/file-system/glob',
        'rye.execute.tool.rye.file-system.grep',
        '  rye/file-system/grep',
        'rye.fetch.*',
      ],
    },
  });
});
