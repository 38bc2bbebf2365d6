import { afterAll, beforeAll, expect, test } from 'vitest';
import { startLlmServer, type LlmServer } from './llm-server.ts';

let server: LlmServer;

beforeAll(async () => {
  server = await startLlmServer({ script: { rules: [{ reasoning: 'Hm.', text: 'Yes.' }] } });
});
afterAll(() => server.close());

type Said = { readonly role: string; readonly content: unknown };
type Answer = { readonly content: readonly { readonly type: string }[]; readonly error?: { readonly message: string } };

async function ask(messages: readonly Said[], more: object = {}, beta?: string): Promise<Answer> {
  const headers: Record<string, string> = beta === undefined ? {} : { 'anthropic-beta': beta };
  const body = JSON.stringify({ model: 'claude-opus-5-5', max_tokens: 100, messages, ...more });
  const answer = await fetch(`${server.origin}/v1/messages`, { method: 'POST', headers, body });
  return (await answer.json()) as Answer;
}

const user = (content: string): Said => ({ role: 'user', content });

/** Three questions and answers, each of which has a thought. */
async function talk(): Promise<Said[]> {
  const said: Said[] = [];
  for (const question of ['a', 'b', 'c']) {
    said.push(user(question));
    const { content } = await ask(said);
    said.push({ role: 'assistant', content });
  }
  return said;
}

/** The conversation without the thought of some answers. */
function without(said: readonly Said[], ...places: readonly number[]): Said[] {
  return said.map(({ role, content }, at) => {
    if (!places.includes(at)) return { role, content };
    return { role, content: (content as Answer['content']).filter(({ type }) => type !== 'thinking') };
  });
}

const REFUSED =
  'Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set ' +
  '`thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';
const BETA = 'thinking-binding-controls-2026-08-01';

test.each<[string, (said: Said[]) => Said[], string | undefined]>([
  ['is taken behind the same', (said) => said, undefined],
  ['is taken without the first ones', (said) => without(said, 1, 3), undefined],
  ['is taken with no other one', (said) => without(said, 1, 3, 5), undefined],
  ['is refused without the one before it', (said) => without(said, 3), 'messages.5.content.0'],
  ['is refused behind another question', ([, ...rest]) => [user('x'), ...rest], 'messages.1.content.0'],
  ['is refused behind a question more', (said) => said.toSpliced(3, 0, user('x')), 'messages.4.content.0'],
])('A thought %s', async (_title, change, place) => {
  const { error } = await ask([...change(await talk()), user('d')], {}, BETA);
  expect(error?.message).toBe(place === undefined ? undefined : `${place}: ${REFUSED}`);
});

test('Who sends no header is told of it', async () => {
  const { error } = await ask([...(await talk()), user('d')], { system: 'x' });
  const header = `That setting requires the \`${BETA}\` value in the \`anthropic-beta\` header.`;
  expect(error?.message).toBe(`messages.1.content.0: ${REFUSED} ${header}`);
});

const thinking = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } };

test('Who asks for it has thoughts dropped, with the header alone', async () => {
  const said = [...(await talk()), user('d')];
  expect(await ask(said, { system: 'x', thinking }, `other,${BETA}`)).not.toHaveProperty('error');
  const { error } = await ask(said, { system: 'x', thinking });
  expect(error?.message).toBe('thinking.adaptive.block_binding: Extra inputs are not permitted');
});

test('A thought of an older model is bound to nothing', async () => {
  const { content } = await ask([user('a')], { model: 'claude-opus-5' });
  const said = [user('b'), { role: 'assistant', content }, user('c')];
  expect(await ask(said)).not.toHaveProperty('error');
});
