import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { createPrompty, createRenderContext, type PromptyInputs } from '../../prompty.ts';
import { agentOf } from './fixtures/agent.ts';

const AGENT = agentOf('{{ past }}\nuser:\n{{ question }} {{ photo }}', [
  { name: 'past', kind: 'thread' },
  { name: 'photo', kind: 'image' },
]);

test('of 1,000 renders of one agent at once, each has its own thread, its own image and nonces nobody else has', async () => {
  const prompty = createPrompty();
  const renders = await Promise.all(
    Array.from({ length: 1000 }, async (_, at) => {
      const context = createRenderContext();
      const past = [{ role: 'user', content: `before ${at}` }];
      const inputs = { past, question: `now ${at}`, photo: `https://host.test/${at}.png` };
      const text = await prompty.renderAsync(AGENT, inputs, context);
      return { at, text, context };
    }),
  );
  const seen = new Set<string>();
  for (const { at, text, context } of renders) {
    const { rendered } = context;
    if (rendered === undefined) throw new Error('The context is empty');
    const messages = prompty.parse(AGENT, rendered);
    const conversation = prompty.toConversation({ messages, nonces: rendered.nonces });
    expect(conversation.messages).toEqual([
      { role: 'user', text: `before ${at}` },
      {
        role: 'user',
        text: `now ${at} `,
        parts: [
          { kind: 'text', value: `now ${at} ` },
          { kind: 'image', value: `https://host.test/${at}.png` },
        ],
      },
    ]);
    for (const nonce of rendered.nonces.keys()) {
      expect(text).toContain(nonce);
      seen.add(nonce.slice(0, 33));
    }
  }
  expect(seen.size).toBe(2000);
});

test('of 1,000 renders that all wait at once, and end in another order, each has its own thread and its own nonce', async () => {
  const prompty = createPrompty();
  const gates: (() => void)[] = [];
  const fill = (template: string, inputs: PromptyInputs): string =>
    template.replaceAll(/\$(\w+)/g, (_, name: string) => (typeof inputs[name] === 'string' ? inputs[name] : ''));
  prompty.renderers.register('waits', {
    render: fill,
    async renderAsync(template, inputs) {
      const { promise, resolve } = Promise.withResolvers<void>();
      gates.push(resolve);
      await promise;
      return fill(template, inputs);
    },
  });
  const agent = agentOf('$past\nuser:\n$question', [{ name: 'past', kind: 'thread' }], 'waits');
  const started = Array.from({ length: 1000 }, (_, at) =>
    prompty.prepareAsync(agent, { past: [{ role: 'assistant', content: `before ${at}` }], question: `now ${at}` }),
  );
  expect(gates).toHaveLength(1000);
  for (const open of gates.toReversed()) open();
  const prepared = await Promise.all(started);
  expect(prepared.map(({ messages }) => messages)).toEqual(
    started.map((_, at) =>
      [
        { role: 'assistant', content: `before ${at}` },
        { role: 'user', content: `now ${at}` },
      ].map(({ role, content }) => ({ role, content: [{ kind: 'text', value: content }] })),
    ),
  );
  expect(new Set(prepared.flatMap(({ nonces }) => [...nonces.keys()])).size).toBe(1000);
});

test('renders in several workers at once are all right, and no two of them share a nonce', async () => {
  const answers = await Promise.all([0, 1, 2, 3].map((worker) => renderIn(worker * 250, 250)));
  expect(answers.map(({ right }) => right)).toEqual([250, 250, 250, 250]);
  expect(new Set(answers.flatMap(({ nonces }) => nonces)).size).toBe(1000);
});

type Answer = { readonly right: number; readonly nonces: readonly string[] };

async function renderIn(from: number, count: number): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const worker = new Worker(new URL('fixtures/render-worker.ts', import.meta.url), { workerData: { from, count } });
  worker.once('message', resolve).once('error', reject);
  try {
    return await promise;
  } finally {
    await worker.terminate();
  }
}
