import { describe, expect, test } from 'vitest';
import { textRequest } from '../../providers/text-tools-request.ts';
import { createPromptBench, payloadsOf, type PromptFiles } from '../../../test/fixtures/prompt-bench.ts';

const directive = (hooks: string): string =>
  [
    '```xml',
    '<directive name="task" version="1.0.0" extends="rye/agent/core/base_review">',
    `<metadata><description>d</description><category>test</category><hooks>${hooks}</hooks>`,
    '<context><before>k/rules</before></context></metadata>',
    '<inputs><input name="who" required="true"/></inputs>',
    '</directive>',
    '```',
    'Greet {input:who}.',
  ].join('\n');

const files = (hooks = ''): PromptFiles => ({
  'directives/task.md': directive(hooks),
  'knowledge/k/rules.md': '---\nname: rules\n---\nBe kind.',
});

describe('A preview', () => {
  test('says where each part is from', async () => {
    using bench = createPromptBench(files());
    const {
      extends: bases,
      model,
      system,
      message,
    } = await bench.preview({ directive: 'task', inputs: { who: 'Bo' } });
    expect({ bases, model }).toEqual({ bases: ['rye/agent/core/base_review'], model: 'scripted:main' });
    expect(system.parts.map(({ source, space, declaredBy }) => [source, space, declaredBy])).toEqual([
      ['rye/agent/core/Identity', 'system', 'rye/agent/core/base_review'],
      ['rye/agent/core/Behavior', 'system', 'rye/agent/core/base_review'],
    ]);
    expect(message.parts.map(({ kind, source, item, space }) => [kind, source, item, space])).toEqual([
      ['hook', 'ctx_environment', 'rye/agent/core/Environment', 'system'],
      ['hook', 'ctx_directive_instruction', 'rye/agent/core/DirectiveInstruction', 'system'],
      ['knowledge', 'rye/agent/core/protocol/execute', 'rye/agent/core/protocol/execute', 'system'],
      ['knowledge', 'rye/agent/core/protocol/fetch', 'rye/agent/core/protocol/fetch', 'system'],
      ['knowledge', 'k/rules', 'k/rules', 'project'],
      ['directive', 'task', undefined, undefined],
    ]);
    expect(message.parts.at(-1)?.text).toContain('Greet Bo.');
    expect(message.text).toBe(message.parts.map(({ text }) => text).join('\n\n'));
  });

  test('has what a template shows beside its text, each by where it is or how large it is', async () => {
    const kinds = ['image', 'file', 'audio'].map((kind) => `  ${kind}: { kind: ${kind}, required: true }`).join('\n');
    const template = `---\nname: look\ninputs:\n${kinds}\n---\nuser:\nSee {{ image }}, {{ file }}, {{ audio }}.\n`;
    using bench = createPromptBench({ 'directives/look.prompty': template });
    const [image, audio] = ['iVBORw0KGgoAAAA=', 'SUQzBAAAAAAA'];
    const inputs = { image, file: 'https://example.com/a.pdf', audio };
    const { message } = await bench.preview({ directive: 'look', inputs });
    const source = 'look';
    expect(message.parts.slice(-3)).toEqual([
      { kind: 'image', source, size: 11, mediaType: 'image/png', text: '', tokens: 5000 },
      { kind: 'file', source, url: 'https://example.com/a.pdf', text: '', tokens: 50_000 },
      { kind: 'audio', source, size: 9, mediaType: 'audio/mpeg', text: '', tokens: 5001 },
    ]);
    expect(message.text).toContain('See [image 1], [file 1], [audio 1].');
    expect(message.tokens).toBeGreaterThan(60_001);
    expect(message.tokens).toBeLessThan(62_000);
  });

  test('has the tools of the thread, and the primary action that each call is routed to', async () => {
    using bench = createPromptBench(files());
    const request = { directive: 'task', inputs: { who: 'Bo' } };
    const { tools } = await bench.preview(request);
    const routes = Object.fromEntries(tools.map(({ name, id, primary }) => [name, [id, primary]]));
    expect(routes).toMatchObject({
      rye_file_system_read: ['rye/file-system/read', 'execute'],
      rye_fetch: ['rye/fetch', 'fetch'],
      rye_load: ['rye/load', 'load'],
      rye_agent_threads_directive_return: ['rye/agent/threads/directive_return', 'execute'],
    });
    const started = bench.start(request);
    const offered = 'thread' in started ? started.thread.plan.palette.definitions : [];
    expect(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))).toEqual(offered);
  });

  test('has the tools in the system message of a model that calls them in text', async () => {
    const config = 'schema_version: "1.0.0"\nmodels: { main: { provider: scripted, tools: text } }\n';
    using bench = createPromptBench({ ...files(), 'config/agent.yaml': config });
    const request = { directive: 'task', inputs: { who: 'Bo' } };
    const { system, tools } = await bench.preview(request);
    const started = bench.start(request);
    if (!('thread' in started)) throw new Error(started.message);
    const { plan, system: written } = started.thread;
    const sent = textRequest({
      model: plan.model.model,
      system: written,
      messages: [],
      tools: plan.palette.definitions,
      maxOutputTokens: 1,
      inputTokens: 1,
      thread: { directive: 'task', turn: 1 },
    });
    expect(system.text).toBe(sent.system);
    expect(system.parts.at(-1)).toMatchObject({ kind: 'tools', source: 'scripted:main' });
    expect(tools.filter(({ tokens }) => tokens !== 0)).toEqual([]);
  });

  test.each([
    ['a tool', '<execute item_type="tool" item_id="rye/file-system/ls"/>'],
    ['an internal tool', '<execute item_id="rye/agent/threads/internal/emitter"/>'],
    ['a function of the host', '<action function="clock"/>'],
    ['a child thread', '<execute item_type="tool" item_id="rye/agent/threads/thread_directive"/>'],
    ['a signature', '<sign item_type="knowledge" item_id="k/rules"/>'],
    ['a copy', '<load item_type="knowledge" item_id="k/rules" destination="project"/>'],
  ])('does not carry out %s for a hook, and says so', async (_name, action) => {
    using bench = createPromptBench(files(`<hook id="acts" event="thread_started">${action}</hook>`));
    const { warnings, message } = await bench.preview({ directive: 'task', inputs: { who: 'Bo' } });
    expect(warnings).toMatchObject([{ where: 'hook acts' }]);
    expect(message.parts.map(({ source }) => source)).not.toContain('acts');
  });

  test('reads what a hook reads, also by a search', async () => {
    const load = '<hook id="reads" event="thread_started"><execute item_type="knowledge" item_id="k/rules"/></hook>';
    const project = { ...files(), 'config/hooks.yaml': hookFile('reads') };
    using bench = createPromptBench({ ...project, 'directives/task.md': directive(load.replace('reads', 'denied')) });
    const { message, warnings } = await bench.preview({ directive: 'task', inputs: { who: 'Bo' } });
    expect(message.parts[0]).toMatchObject({ kind: 'hook', source: 'reads', item: 'k/rules', space: 'project' });
    expect(warnings).toMatchObject([{ code: 'permission_denied', where: 'hook denied' }]);
  });

  test('knows the space that a hook names, also where an item that hides it can not be read', async () => {
    const source =
      '<hook id="own" event="thread_started" wrap="false"><load item_type="knowledge" source="system" item_id="ID"/></hook>';
    const id = 'rye/agent/core/Environment';
    using bench = createPromptBench({
      ...files(source.replace('ID', id)),
      [`knowledge/${id}.md`]: '---\nname: [\n---\nx',
    });
    const { message } = await bench.preview({ directive: 'task', inputs: { who: 'Bo' } });
    expect(message.parts[0]).toMatchObject({ source: 'own', item: id, space: 'system' });
  });

  test.each([
    [
      'a wildcard',
      '<permissions><execute><tool>k/*</tool></execute></permissions>',
      [/registerTool\) are not known here$/],
    ],
    [
      'a name that is not there',
      '<permissions><execute><tool>rye/bash</tool><tool>k/own</tool></execute></permissions>',
      [/not found: rye\.execute\.tool\.k\.own$/],
    ],
    ['no tools', '<permissions><fetch><knowledge>*</knowledge></fetch></permissions>', []],
    ['nothing', '', []],
  ])(
    'says that it knows no functions of a program where permissions for %s could grant one',
    async (_name, permissions, notes) => {
      const metadata = `<metadata><description>d</description><category>test</category>${permissions}</metadata>`;
      const text = `\`\`\`xml\n<directive name="free" version="1.0.0">${metadata}</directive>\n\`\`\`\nDo it.`;
      using bench = createPromptBench({ 'directives/free.md': text });
      const preview = await bench.preview({ directive: 'free' });
      expect(preview.notes).toEqual(notes.map((note) => expect.stringMatching(note)));
    },
  );

  test('is refused for what keeps the thread from starting', async () => {
    using bench = createPromptBench(files());
    await expect(bench.preview({ directive: 'task' })).rejects.toMatchObject({ code: 'missing_input' });
  });
});

describe('A thread with a chain', () => {
  test('is told of what its bases say in vain', () => {
    const base = '```xml\n<directive name="b" version="1"><metadata><mood>good</mood></metadata></directive>\n```\nx';
    const leaf = '```xml\n<directive name="a" version="1" extends="b"><metadata/></directive>\n```\nx';
    using bench = createPromptBench({ 'directives/a.md': leaf, 'directives/b.md': base });
    const started = bench.start({ directive: 'a' });
    const warnings = 'thread' in started ? payloadsOf(started, 'warning') : [];
    expect(warnings.map(({ message }) => message)).toContainEqual(expect.stringMatching(/^In b, .*mood/));
  });
});

function hookFile(id: string): string {
  const action = '{ primary: execute, item_type: knowledge, item_id: k/rules }';
  return `schema_version: '1.0.0'\nhooks: [{ id: ${id}, event: thread_started, action: ${action} }]\n`;
}
