import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../config/freeze.ts';
import { createPrompty, render, ValueError, type PromptyAgent, type PromptyInputs } from '../../prompty.ts';
import { agentOf } from './fixtures/agent.ts';

const DECLARED = [
  { name: 'past', kind: 'thread' },
  { name: 'photo', kind: 'image' },
  { name: 'sound', kind: 'audio' },
  { name: 's', default: 'nothing' },
] as const;
const prompty = createPrompty();

const text = fc.string({
  unit: fc.constantFrom('a', ' ', '\n', 'user:', '{{', '__PROMPTY_THREAD_', '&', 'é'),
  maxLength: 5,
});
const message = fc.record({ role: fc.constantFrom('user', 'assistant'), content: text });
const inputs = fc.record(
  {
    s: text,
    l: fc.array(text, { maxLength: 3 }),
    b: fc.boolean(),
    past: fc.array(message, { maxLength: 3 }),
    photo: fc.constantFrom('https://host.test/a.png', { value: 'iVBORw0KGgo=', detail: 'low' }),
    sound: fc.constant('SUQzBAA='),
  },
  { requiredKeys: [] },
);

const literal = fc.constantFrom('system:\n', '\nuser:\n', '\nassistant:\n', ' and ', 'a');
const TEMPLATES = {
  jinja2: templateOf(
    ['{{ s }}', '{{ past }}', '{{ photo }}', '{{ sound }}', '{{ l|join(", ") }}', '{% set v = photo %}{{ v }}'],
    [
      ['{% for s in l %}', '{% endfor %}'],
      ['{% if past %}', '{% else %}none{% endif %}'],
    ],
  ),
  mustache: templateOf(
    ['{{s}}', '{{past}}', '{{photo}}', '{{{sound}}}', '{{! nothing }}'],
    [
      ['{{#l}}', '{{/l}}'],
      ['{{^photo}}', '{{/photo}}'],
    ],
  ),
} as const;

describe.each(['jinja2', 'mustache'] as const)('Any prompt in %s', (format) => {
  test('gives the same but for its nonces for the same inputs, which stay as they were', () => {
    fc.assert(
      fc.property(TEMPLATES[format], inputs, (template, given) => {
        const agent = agentOf(template, DECLARED, format);
        const before = structuredClone(given);
        const [one, other] = [outcomeOf(agent, given), outcomeOf(agent, deepFreeze(given))];
        expect(other.same).toEqual(one.same);
        expect(given).toEqual(before);
        expect(other.nonces.filter((nonce) => one.nonces.includes(nonce))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('reads nothing but its inputs: not what stands in the environment, on the global object, or on prototypes', () => {
    const template = TEMPLATES[format].map((start) => `${start}${READS[format]}`);
    fc.assert(
      fc.property(template, inputs, (read, given) => {
        const agent = agentOf(read, DECLARED, format);
        const alone = outcomeOf(agent, given).same;
        const beside = withLeaks(() => outcomeOf(agent, given).same);
        expect(beside).toEqual(alone);
        expect(JSON.stringify(beside)).not.toContain('LEAK');
      }),
      { numRuns: 100 },
    );
  });
});

test('No global is an input', () => {
  const names = Object.getOwnPropertyNames(globalThis).filter((name) => /^[A-Za-z_]\w*$/.test(name));
  expect(names).toContain('process');
  const read = names.filter((name) => {
    const jinja = render(agentOf(`{{ ${name} }}{{ ${name}.constructor }}`));
    return jinja + render(agentOf(`{{${name}}}{{#${name}}}x{{/${name}}}`, [], 'mustache')) !== '';
  });
  expect(read).toEqual([]);
});

/** Templates of these tags, some of them around others. */
function templateOf(
  tags: readonly string[],
  around: readonly (readonly [open: string, close: string])[],
): fc.Arbitrary<string> {
  const { template } = fc.letrec<{ template: string; part: string }>((tie) => ({
    part: fc.oneof(
      { maxDepth: 3 },
      literal,
      fc.constantFrom(...tags),
      ...around.map(([open, close]) => tie('template').map((body) => `${open}${body}${close}`)),
    ),
    template: fc.array(tie('part'), { maxLength: 5 }).map((parts) => parts.join('')),
  }));
  return template;
}

const READS = {
  jinja2: '[{{ leak }}{{ s.leak }}{{ l.leak }}{{ m.leak }}{{ env.leak }}{{ process.env.leak }}]',
  mustache: '[{{leak}}{{s.leak}}{{#l}}{{leak}}{{/l}}{{env.leak}}{{process.env.leak}}]',
} as const;

/** What a caller gets of a prompt, its nonces replaced by the names of their inputs. */
type Outcome = { readonly same: unknown; readonly nonces: readonly string[] };

function outcomeOf(agent: PromptyAgent, given: PromptyInputs): Outcome {
  const rendered = prompty.renderPrompt(agent, given);
  const nonces = [...rendered.nonces.keys()];
  const named = (said: string): string => nonces.reduce((all, nonce) => all.replaceAll(nonce, nonce.slice(34)), said);
  const messages = prompty.parse(agent, rendered);
  const conversation = refusedOr(() => prompty.toConversation({ messages, nonces: rendered.nonces }));
  const same = { text: named(rendered.text), spans: rendered.inputSpans, values: [...rendered.nonces.values()] };
  return { same: { ...same, messages: JSON.parse(named(JSON.stringify(messages))) as unknown, conversation }, nonces };
}

function refusedOr(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (error instanceof ValueError) return error.message;
    throw error;
  }
}

/** Does some work while `leak` stands wherever code could look for a name. */
function withLeaks<Result>(work: () => Result): Result {
  const places = [Object.prototype, Array.prototype, String.prototype, globalThis, process.env];
  for (const place of places) Object.assign(place, { leak: 'LEAK' });
  try {
    return work();
  } finally {
    for (const place of places) Reflect.deleteProperty(place, 'leak');
  }
}
