import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Failure, PromptPreview } from '../src/index.ts';
import { anthropicWire } from './conformance/anthropic-wire.ts';
import type { Scenario } from './conformance/model-scenario.ts';
import { startModelServer, type SeenRequest } from './conformance/model-server.ts';
import { openaiWire } from './conformance/openai-wire.ts';
import { type GoldenEntry, goldenEntries } from './fixtures/golden-entries.ts';
import { project } from './fixtures/scene.ts';
import { importSkein } from './fixtures/skein.ts';
import { PACKAGE_ROOT } from './fixtures/source-files.ts';

/* What was built: workers, the signed system space, the real adapters over HTTP. */

const ANSWER: Scenario = {
  kind: 'answer',
  texts: ['done'],
  toolCalls: [],
  usage: { inputTokens: 10, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 },
  finish: 'stop',
};

type Sent = { readonly system: string; readonly message: string; readonly tools: readonly string[] };

/** What was sent, and the roles of its messages in order. */
type Read = Sent & { readonly roles: readonly string[] };

/** What a request says, in each provider's words (S0 "Provider-Specific Delivery"). */
const READERS = {
  openai: ({ body }: SeenRequest): Read => {
    const { messages, tools = [] } = body as {
      readonly messages: readonly { readonly role: string; readonly content: string }[];
      readonly tools?: readonly { readonly function: { readonly name: string } }[];
    };
    const textsOf = (wanted: string): string =>
      messages
        .filter(({ role }) => role === wanted)
        .map(({ content }) => content)
        .join('|');
    return {
      system: textsOf('system'),
      message: textsOf('user'),
      tools: tools.map((tool) => tool.function.name),
      roles: messages.map(({ role }) => role),
    };
  },
  anthropic: ({ body }: SeenRequest): Read => {
    const {
      messages,
      tools = [],
      system,
    } = body as {
      readonly messages: readonly { readonly role: string; readonly content: unknown }[];
      readonly tools?: readonly { readonly name: string }[];
      readonly system?: unknown;
    };
    return {
      system: plain(system),
      message: plain(messages[0]?.content),
      tools: tools.map(({ name }) => name),
      roles: messages.map(({ role }) => role),
    };
  },
} as const;

/** A text, or a list of text blocks. */
function plain(content: unknown): string {
  if (typeof content === 'string') return content;
  const blocks = (content ?? []) as readonly { readonly text: string }[];
  return blocks.map(({ text }) => text).join('');
}

describe.each([
  ['openai', openaiWire],
  ['anthropic', anthropicWire],
] as const)('The request that reaches a server of %s', (kind, wire) => {
  test.each(goldenEntries('requests').map((entry) => [entry.row, entry] as const))(
    'is the golden one for %s, and what a preview shows',
    async (_row, entry) => {
      await using server = await startModelServer(wire, ANSWER);
      using made = project();
      for (const [path, text] of Object.entries(entry.files)) made.write(`.ai/${path}`, text);
      const base_url = kind === 'openai' ? `${server.origin}/v1` : server.origin;
      const providers = { there: { kind, base_url, api_key_env: 'THE_KEY', max_output_tokens: 1000 } };
      const tiers = { general: { provider: 'there', model: 'm' } };
      const price = { input: 1, output: 1, cache_read: 0, cache_write: 0 };
      const models = { m: { provider: 'there', context_window: 100_000, price } };
      const config = { agent: { providers, tiers, models, trust: { project: 'off' } } };
      const options = { project: made.path, userSpace: false, env: { THE_KEY: 'k' }, config } as const;
      const skein = await importSkein();
      {
        await using runtime = await skein.createRuntime({ ...options, workers: 1 });
        const thread = await runtime.spawn(entry.run, entry.inputs);
        expect(await thread.result).toMatchObject({ status: 'completed', text: 'done' });
      }
      expect(server.requests).toHaveLength(1);
      const [request] = server.requests;
      const { roles, ...sent } = READERS[kind](request ?? { path: undefined, headers: {}, body: {} });
      expect(roles).toEqual(kind === 'openai' && sent.system !== '' ? ['system', 'user'] : ['user']);
      expect(sent).toMatchObject({ system: filled(entry.system), message: filled(entry.message) });
      expect(sent.tools).toEqual(expect.arrayContaining(entry.tools));
      expect(sent.tools.filter((name) => entry.no_tools.includes(name))).toEqual([]);
      const preview = await skein.previewPrompt(entry.run, entry.inputs, { ...options, env: {} });
      expect(shown(preview)).toEqual(sent);
      expect(server.requests).toHaveLength(1);
    },
  );
});

function shown({ system, message, tools }: PromptPreview): Sent {
  return { system: system.text, message: message.text, tools: tools.map(({ name }) => name) };
}

/** Puts the texts of system items in where an entry names them. */
function filled(text: GoldenEntry['system']): string {
  return (text ?? '').replaceAll(/«([^»]+)»/g, (_name, id: string) => {
    const file = readFileSync(join(PACKAGE_ROOT, 'config/space/knowledge', `${id}.md`), 'utf8');
    return file.slice(file.indexOf('\n---\n') + 5).trim();
  });
}

test('Each preview tells what is wrong with items, also to a listener that throws at it', async () => {
  using made = project({ plain: {} });
  made.write('.ai/tools/rye/agent/threads/thread_directive.js', 'export const __tool = { tool_id: "x" };');
  const { previewPrompt } = await importSkein();
  const told: string[] = [];
  const onProblem = ({ message }: Failure): void => {
    told.push(message);
    throw new Error('from the listener');
  };
  const scripts = { main: { rules: [] } };
  const options = { project: made.path, userSpace: false, env: {}, scripts, model: 'scripted:main' } as const;
  for (let times = 0; times < 2; times += 1) await previewPrompt('plain', {}, { ...options, onProblem });
  expect(told).toEqual(Array.from({ length: 2 }, () => expect.stringContaining('this file is not used')));
});

test('A preview whose worker ends is refused with that', async () => {
  using made = project({ plain: {} });
  made.write('ends.mjs', 'setTimeout(() => process.exit(3)); export default [];');
  const { previewPrompt } = await importSkein();
  const options = { project: made.path, userSpace: false, env: {}, tools: [join(made.path, 'ends.mjs')] } as const;
  await expect(previewPrompt('plain', {}, options)).rejects.toMatchObject({ code: 'worker_lost' });
});
