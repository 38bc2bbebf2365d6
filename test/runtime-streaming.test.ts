import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EventPayloads, StoredEvent } from '../src/core/events.ts';
import type { ThreadEvent, ThreadHandle } from '../src/index.ts';
import { echoTool } from './fixtures/echo-tool.ts';
import { eventsOf, RETURN, scene, until, type Part, type Scene } from './fixtures/scene.ts';

const LIMIT = 2_000;
/** One token a character, one character a piece: what a thread has heard says how far its call came. */
const SLOW: Part['says'][number] = {
  text: 'w'.repeat(1_000),
  chunks: 1_000,
  delay_ms: 20_000,
  usage: { output_tokens: 1_000 },
};

const fenced = (call: object): string => `\`\`\`tool_call\n${JSON.stringify(call)}\n\`\`\`\n`;

const PARTS: Readonly<Record<string, Part>> = {
  talking: { says: [SLOW] },
  hurried: { limits: { duration_seconds: 1.5 }, says: [SLOW] },
  cut: {
    says: [{ text: 'w'.repeat(500), usage: { output_tokens: 500 }, error: { status_code: 422, message: 'cut' } }],
  },
  brief: { says: [{ text: 'That is', finish_reason: 'length' }] },
};

let it: Scene;

beforeAll(async () => {
  it = await scene(
    {
      ...PARTS,
      // Its model reads and writes nothing but text.
      plain: {
        outputs: ['seen'],
        says: [
          { text: `I ask twice.\n${fenced({ name: 'app_echo', input: { text: 'a`b' } })}${fenced({ name: 'none' })}` },
          { last_text: 'tool_error none ', text: '<tool_call>{"name": "app_echo", "arguments": {"text"</tool_call>' },
          { last_text: 'not complete JSON', text: `Like so:\n\`\`\`\`\n${fenced({ name: 'app_echo' })}\`\`\`\`\n` },
          { text: fenced({ name: RETURN, input: { seen: 'all' } }) },
        ],
      },
    },
    {
      config: {
        agent: {
          tiers: { general: { provider: 'scripted', model: 'main' }, text: { provider: 'plain', model: 'main' } },
          providers: { plain: { kind: 'scripted', max_output_tokens: LIMIT, tools: 'text' } },
          models: { main: { provider: 'scripted', context_window: 200_000, max_output_tokens: LIMIT } },
        },
      },
    },
  );
  await it.runtime.registerTool(echoTool(({ text }) => ({ echo: text })));
});
afterAll(() => it[Symbol.asyncDispose]());

/** Replies of a thread's model, as its log has them. */
const replies = ({ id }: ThreadHandle): EventPayloads['cognition_out'][] =>
  it.project.log(id).flatMap(({ event_type, payload }) => (event_type === 'cognition_out' ? [payload] : []));

describe('A model whose calls are read from its text', () => {
  let events: readonly ThreadEvent[];
  let log: readonly StoredEvent[];
  let handle: ThreadHandle;
  beforeAll(async () => {
    handle = await it.runtime.spawn('plain', {}, { model: 'plain:main' });
    events = await eventsOf(handle);
    log = it.project.log(handle.id);
  });

  test('calls tools, hears of their results and of its mistakes, and returns', async () => {
    expect(await handle.result).toMatchObject({ status: 'completed', outputs: { seen: 'all' } });
    const starts = log.flatMap(({ event_type, payload }) => (event_type === 'tool_call_start' ? [payload] : []));
    const results = log.flatMap(({ event_type, payload }) => (event_type === 'tool_call_result' ? [payload] : []));
    const said = starts.map(({ tool, call_id: id }) => {
      const result = results.find(({ call_id: of }) => of === id);
      return [tool, result?.error ?? result?.output];
    });
    expect(said).toEqual([
      ['app_echo', expect.stringContaining('a`b')],
      ['none', expect.stringContaining('there is no tool named "none"')],
      ['malformed_tool_call', expect.stringContaining('could not be read: it is not complete JSON')],
      [RETURN, expect.any(String)],
    ]);
  });

  test('is heard saying the rest, and what it only talks about is not run', () => {
    const quoted = `Like so:\n\`\`\`\`\n${fenced({ name: 'app_echo' })}\`\`\`\`\n`;
    expect(replies(handle).map(({ text }) => text)).toEqual(['I ask twice.\n', '', quoted, '']);
  });

  test('is seen calling tools before they run, and its calls are not shown as text', () => {
    const deltas = events.flatMap(({ event_type, payload }) => (event_type === 'cognition_out_delta' ? [payload] : []));
    expect(deltas.flatMap(({ tool_call: made }) => made?.name ?? [])).toEqual(['app_echo', 'none', RETURN]);
    expect(deltas.map(({ text }) => text).join('')).toBe(
      replies(handle)
        .map(({ text }) => text)
        .join(''),
    );
    const types = events.map(({ event_type, payload }) => ('tool_call' in payload ? 'seen' : event_type));
    expect(types.indexOf('seen')).toBeLessThan(types.indexOf('tool_call_start'));
  });
});

test('A reply at the output limit is whole, and its text is truncated', async () => {
  const handle = await it.runtime.spawn('brief');
  await handle.result;
  expect(replies(handle)).toEqual([{ text: 'That is', model: 'scripted:main', truncated: true }]);
});

describe('An interrupted call', () => {
  const percentOf = (text: string): number => (100 * text.length) / LIMIT;

  test('that breaks off keeps what came', async () => {
    const handle = await it.runtime.spawn('cut');
    await handle.result;
    const [partial] = replies(handle);
    expect(partial).toMatchObject({ is_partial: true, truncated: true, error: 'cut', completion_percentage: 25 });
    expect(partial?.text).toHaveLength(500);
  });

  // The last one ends the runtime.
  test.each<[string, string, (handle: ThreadHandle) => Promise<unknown>, RegExp]>([
    ['by a cancel', 'talking', (handle) => handle.cancel('enough'), /^cancelled: enough$/],
    ['by a kill', 'talking', (handle) => it.runtime.orchestrator.killThread(handle.id), /^cancelled: /],
    ['by its deadline', 'hurried', (handle) => until(handle, 'thread_suspended'), /^limit_hit$/],
    ['by the end of its runtime', 'talking', () => it.runtime.close({ graceMs: 0 }), /^suspend$/],
  ])(
    '%s keeps what came, and how much that is of the most there may be',
    async (_title, directive, interrupt, error) => {
      const handle = await it.runtime.spawn(directive);
      await until(handle, 'cognition_out_delta');
      await interrupt(handle);
      const [partial, ...more] = replies(handle);
      expect(partial).toMatchObject({ is_partial: true, truncated: true, error: expect.stringMatching(error) });
      expect(partial?.text).toMatch(/^w+$/);
      expect(partial?.completion_percentage).toBeCloseTo(percentOf(partial?.text ?? ''));
      expect(more).toEqual([]);
    },
  );
});
