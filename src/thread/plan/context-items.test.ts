import { describe, expect, test } from 'vitest';
import { NEVER } from '../../../test/fixtures/scene.ts';
import { createWorkerBench, type WorkerBench } from '../../../test/fixtures/worker-bench.ts';

const unsigned = (kind: string, id: string) => ({
  code: 'item_unsigned',
  message: `The ${kind} "${id}" of the project space is not signed`,
  where: id,
});

/** A directive with this `<context>` and these hooks, which nobody signed either. */
function directive(context: string, hooks = ''): string {
  const permissions = '<permissions><load><knowledge>*</knowledge></load></permissions>';
  const head = `<metadata><description>d</description><category>test</category>${permissions}`;
  const all = `${head}<hooks>${hooks}</hooks></metadata><context>${context}</context>`;
  return `\`\`\`xml\n<directive name="task" version="1.0.0">${all}</directive>\n\`\`\`\nDo it.\n`;
}

const load = (id: string, item: string, more = ''): string =>
  `<hook id="${id}" event="thread_started"><load item_type="knowledge" item_id="${item}" ${more}/></hook>`;

/** A worker with a thread of that directive and some knowledge. */
function startWith(text: string, trust: 'off' | 'warn' = 'warn'): WorkerBench {
  const bench = createWorkerBench({ task: { says: [NEVER] } }, {}, { trust });
  for (const name of ['one', 'two', 'three']) {
    bench.project.write(`.ai/knowledge/k/${name}.md`, `---\ntitle: ${name}\nversion: "1"\n---\nText of ${name}.\n`);
  }
  bench.project.write('.ai/directives/task.md', text);
  return bench;
}

describe('Items of a context that nobody signed', () => {
  test('are told in the log of each of its threads, each item once', () => {
    const context = '<system>k/one</system><before>k/two</before><before>k/one</before><after>k/two</after>';
    using bench = startWith(directive(context, load('mine', 'k/two') + load('more', 'k/three')));
    for (const thread of [bench.start('task'), bench.start('task')]) {
      expect(bench.warnings(thread)).toEqual([
        unsigned('directive', 'task'),
        unsigned('knowledge', 'k/one'),
        unsigned('knowledge', 'k/two'),
        unsigned('knowledge', 'k/three'),
      ]);
    }
  });

  test.each([
    ['loaded by a hook from a space that it names', load('mine', 'k/one', 'source="project"')],
    [
      'given by a hook that executes it',
      '<hook id="x" event="thread_started"><execute item_type="knowledge" item_id="k/one"/></hook>',
    ],
  ])('are told when they are %s', (_name, hook) => {
    const granted = directive('', hook).replace(
      '<permissions>',
      '<permissions><execute><knowledge>*</knowledge></execute>',
    );
    using bench = startWith(granted);
    const thread = bench.start('task');
    expect(bench.warnings(thread)).toEqual([unsigned('directive', 'task'), unsigned('knowledge', 'k/one')]);
  });

  test('are told once of a thread that is the text of its own directive', () => {
    const hook = '<hook id="x" event="thread_started"><load item_type="directive" item_id="task"/></hook>';
    using bench = startWith(directive('', hook).replace('<load>', '<load><directive>*</directive>'));
    expect(bench.warnings(bench.start('task'))).toEqual([unsigned('directive', 'task')]);
  });

  test.each([
    ['declared', '<before>k/one</before>', ''],
    ['loaded by a hook', '', load('mine', 'k/one')],
    [
      'loaded by a hook that names them in its params',
      '',
      '<hook id="x" event="thread_started"><load item_type="knowledge"><param name="item_id" value="k/one"/></load></hook>',
    ],
  ])('are not told of where they are %s and suppressed', (_name, context, hook) => {
    using bench = startWith(directive(`${context}<suppress>k/one</suppress>`, hook));
    const thread = bench.start('task');
    expect(bench.warnings(thread)).toEqual([unsigned('directive', 'task')]);
    expect(bench.log(thread).find((event) => event.event_type === 'context_injected')?.payload).toEqual({
      before: ['ctx_environment', 'ctx_directive_instruction'],
      after: [],
    });
  });

  test('are not told of where the policy has nothing against them', () => {
    using trusted = startWith(directive('<before>k/one</before>'), 'off');
    expect(trusted.warnings(trusted.start('task'))).toEqual([]);
  });

  test('are told once when the thread is suspended while a hook runs, and starts again', () => {
    const asks = '<hook id="clock" event="thread_started"><action function="clock"/></hook>';
    using bench = startWith(directive('<before>k/one</before>', asks));
    const thread = bench.start('task');
    bench.host.receive({ type: 'suspend', thread, reason: 'user', now: true });
    bench.commit();
    bench.resume(thread);
    bench.commit();
    bench.host.receive({ type: 'answer', ref: bench.said('hostCall').at(-1)?.ref ?? 0, value: 'noon' });
    bench.commit();
    expect(bench.warnings(thread)).toEqual([unsigned('directive', 'task'), unsigned('knowledge', 'k/one')]);
  });
});
