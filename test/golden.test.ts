import { describe, expect, test } from 'vitest';
import { type Failure, toFailure } from '../src/core/errors.ts';
import type { PromptPreview } from '../src/core/prompt-preview.ts';
import type { ItemKind, PrimaryAction } from '../src/core/item.ts';
import type { ThreadSpec } from '../src/core/protocol.ts';
import { compileChain } from '../src/items/capability.ts';
import { DIRECTIVE_INSTRUCTION } from '../src/prompt/directive-instruction.ts';
import {
  createPromptBench,
  firstMessageOf,
  payloadsOf,
  type PromptBench,
  type Started,
} from './fixtures/prompt-bench.ts';
import { type GoldenEntry as Entry, goldenEntries } from './fixtures/golden-entries.ts';

/** Switches the hooks that ship off. */
const QUIET = `
schema_version: '1.0.0'
builtin_hooks:
  - { id: ctx_environment, condition: { any: [] } }
  - { id: ctx_directive_instruction, condition: { any: [] } }
`;

describe.each([
  ['S0', 'prompt-rendering'],
  ['S3', 'context-injection'],
])('%s', (_seed, file) => {
  test.each(goldenEntries(file).map((entry) => [entry.row, entry] as const))('%s', async (_row, entry) => {
    const { files } = entry;
    using bench = createPromptBench(
      entry.shipped ? files : { 'config/hook_conditions.yaml': QUIET, ...files },
      entry.user,
    );
    const request = { directive: entry.run, inputs: entry.inputs, outputSchema: entry.output_schema };
    const started = bench.start(request, entry.continues);
    const fill = (text: string): string => filled(text, bench);
    expect('code' in started ? refusalOf(started, entry) : seen(started, entry, fill)).toMatchObject(
      wanted(entry, fill),
    );
    expect(await textsOf(bench.preview(request), entry)).toEqual(textsSent(started, entry));
  });
});

type Fill = (text: string) => string;

/** What an entry wants, in the form of {@link seen}; what it does not mention is left out. */
function wanted(entry: Entry, fill: Fill): Readonly<Record<string, unknown>> {
  const { system, message, layers, before, after, returns, refused } = entry;
  if (refused) return { refused };
  const all = {
    told: true,
    system: system === undefined ? undefined : fill(system),
    message: message === undefined ? undefined : fill(message),
    layers,
    before,
    after,
    returns,
    in_order: entry.in_order,
    without: [],
    without_message: [],
    tools: entry.tools,
    no_tools: [],
    allows: entry.allows,
    denies: [],
    warnings: entry.warnings.map(() => 1),
    other_warnings: [],
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function refusalOf({ code, message }: Failure, { refused = [] }: Entry): Readonly<Record<string, unknown>> {
  const [wantedCode = '', ...parts] = refused;
  const found = parts.map((part) => (message.includes(part) ? part : message));
  return { refused: [code === wantedCode ? wantedCode : `${code}: ${message}`, ...found] };
}

function seen(started: Started, entry: Entry, fill: Fill): Readonly<Record<string, unknown>> {
  const { system } = started.thread;
  const message = firstMessageOf(started.thread);
  const warnings = payloadsOf(started, 'warning').map((warning) => warning.message);
  const definitions = started.thread.plan.palette.definitions;
  const names = new Set(definitions.map(({ name }) => name));
  const allowed = (capability: string): boolean => isAllowed(started.spec, capability);
  return {
    ...sources(started),
    system,
    message,
    returns: definitions.at(-1)?.inputSchema,
    in_order: inOrder(message, entry.in_order, fill),
    without: entry.without.filter((text) => `${system}\n${message}`.includes(fill(text))),
    without_message: entry.without_message.filter((text) => message.includes(fill(text))),
    tools: entry.tools.filter((name) => names.has(name)),
    no_tools: entry.no_tools.filter((name) => names.has(name)),
    allows: entry.allows.filter((capability) => allowed(capability)),
    denies: entry.denies.filter((capability) => allowed(capability)),
    warnings: entry.warnings.map((text) => warnings.filter((warning) => warning.includes(text)).length),
    other_warnings: warnings.filter((warning) => !entry.warnings.some((text) => warning.includes(text))),
  };
}

/** Events are there exactly when there is something to tell, once, and with the text that is sent. */
function sources(started: Started): Readonly<Record<string, unknown>> {
  const { system } = started.thread;
  const prompts = payloadsOf(started, 'system_prompt');
  const injections = payloadsOf(started, 'context_injected');
  const { before, after } = injections[0] ?? { before: [], after: [] };
  const isTold = prompts.length === (system === '' ? 0 : 1) && prompts.every(({ text }) => text === system);
  return { told: isTold && injections.length <= 1, layers: prompts[0]?.layers ?? [], before, after };
}

/** What a preview shows: system message and first message, or why the thread would not start. */
function textsOf(preview: Promise<PromptPreview>, { continues }: Entry): Promise<readonly string[]> {
  return preview.then(
    ({ system, message }) => [system.text, ...(continues ? [] : [message.text])],
    (thrown: unknown) => [toFailure(thrown).code],
  );
}

/** The same of a thread; nobody previews a successor. */
function textsSent(started: Started | Failure, { continues }: Entry): readonly string[] {
  if ('code' in started) return [started.code];
  return [started.thread.system, ...(continues ? [] : [firstMessageOf(started.thread)])];
}

/** The parts that come one after the other, as far as they do. */
function inOrder(message: string, parts: readonly string[], fill: Fill): readonly string[] {
  let at = 0;
  return parts.filter((part) => {
    const found = message.indexOf(fill(part), at);
    if (found !== -1) at = found + fill(part).length;
    return found !== -1;
  });
}

function isAllowed({ capabilities }: ThreadSpec, capability: string): boolean {
  const [, primary, kind, ...id] = capability.split('.');
  const chain = compileChain(capabilities);
  // The data files name primary actions and kinds.
  return chain.allows(primary as PrimaryAction, kind as ItemKind, id.join('/'));
}

/** Puts the texts in that an entry only names. */
function filled(text: string, { services }: PromptBench): string {
  return text
    .replaceAll('INSTRUCTION', DIRECTIVE_INSTRUCTION)
    .replaceAll(/«([^»]+)»/g, (_name, id: string) => services.items.knowledge(id).content);
}
