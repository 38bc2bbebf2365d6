import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../src/core/clock.ts';
import { SPACE_NAMES } from '../../src/core/item.ts';
import { fillInputRefs } from '../../src/items/input-refs.ts';
import { checkTrust } from '../../src/items/item-trust.ts';
import type { ReadItem } from '../../src/items/spaces.ts';
import { createTierPolicy, type TierPolicyName } from '../../src/prompt/tiers/policy-by-name.ts';
import { createFetch } from '../../src/providers/http-fetch.ts';
import { createProviders, type ModelBinding } from '../../src/providers/provider-registry.ts';
import { priceOf } from '../../src/providers/pricing.ts';
import { createAddressRule } from '../../src/tools/address-rules.ts';
import { childEnv } from '../../src/tools/child-env.ts';
import { createCallSlots } from '../../src/tools/call-slots.ts';
import { assemblyOf } from './workers-at-work.ts';
import { nameIn, outcome, SCHEMA_VERSION, shippedFile, valueAt, type Row, type State } from './row.ts';

const KEYS = { ANTHROPIC_API_KEY: 'x', OPENAI_API_KEY: 'x', GEMINI_API_KEY: 'x' };
const SCRIPT = { rules: [{ text: 'done' }] };

/** What a thread that asks for a model gets, or why it gets none. */
function bind({ config }: State, choice: string, env: Readonly<Record<string, string>> = KEYS): unknown {
  const scripts = { main: SCRIPT, scripted: SCRIPT };
  return outcome(() =>
    summary(createProviders({ config: config.agent, env, clock: systemClock, scripts }).resolve(choice)),
  );
}

/** With what a call costs that reads, writes and caches. */
function summary({ reference, price, contextWindow, maxOutputTokens }: ModelBinding): unknown {
  const usage = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 30, cacheWriteTokens: 20 };
  return { reference, contextWindow, maxOutputTokens, cost: price && priceOf(usage, price) };
}

/** A model's reference, by the provider that ships. */
function referenceOf(path: string): string {
  const entry = /^models(?:\.[^.[\]]+|\["[^"]*"\])/.exec(path)?.[0] ?? '';
  return `${String(valueAt(shippedFile('agent'), `${entry}.provider`))}:${nameIn(path)}`;
}

/** A model of each provider. */
const MODEL: Readonly<Record<string, string>> = {
  anthropic: 'anthropic:claude-haiku-4-5',
  openai: 'openai:gpt-5',
  gemini: 'gemini:gemini-3.8-flash',
  scripted: 'scripted:main',
};
const modelOf = (path: string): string => MODEL[nameIn(path)] ?? '';

/** How an item of the space that nobody signed is taken. */
function takeUnsigned({ config }: State, path: string): unknown {
  const space = SPACE_NAMES.find((name) => path.endsWith(name));
  const item = { kind: 'tool', id: 'a/b', space, stamp: { file: 'a/b.js' } } as unknown as ReadItem; // all that is looked at
  return outcome(() => checkTrust(item, () => ({ state: 'unsigned' }), config.agent.trust));
}

/** How many connections a few calls take that are made at once. */
async function countConnections({ config }: State): Promise<number> {
  let connections = 0;
  const server = createServer((_request, response) => response.end('{}')).on('connection', () => connections++);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // A TCP server's address is never a string.
  const { port } = server.address() as AddressInfo;
  const fetch = createFetch({ connections: config.agent.connections });
  await Promise.all([1, 2, 3].map(async () => (await fetch(`http://127.0.0.1:${port}/`)).json()));
  server.closeAllConnections();
  server.close();
  return connections;
}

/** How many of two are let in. */
function countIn(max: number): number {
  const slots = createCallSlots(max);
  let count = 0;
  for (let asked = 0; asked < 2; asked++) slots.take(() => count++);
  return count;
}

/** What decides where things stand, by what it remembers. */
function statesOf(policy: TierPolicyName): unknown {
  return Object.keys(createTierPolicy(policy).state() as object); // a policy's state is an object
}

export const AGENT_ROWS: readonly Row[] = [
  SCHEMA_VERSION,
  {
    path: 'providers.*.kind',
    to: (kind) => (kind === 'scripted' ? 'openai' : 'scripted'),
    sees: (state, path) => bind(state, `${nameIn(path)}:main`),
  },
  { path: 'providers.*.api_key_env', to: () => 'MY_KEY', sees: (state, path) => bind(state, modelOf(path), {}) },
  { path: 'providers.*.max_output_tokens', sees: (state, path) => bind(state, modelOf(path)) },
  { path: 'tiers.*.provider', to: () => 'scripted', sees: (state, path) => bind(state, nameIn(path)) },
  { path: 'tiers.*.model', to: () => 'claude-opus-4-5', sees: (state, path) => bind(state, nameIn(path)) },
  {
    path: 'models.*.provider',
    to: (provider) => (provider === 'scripted' ? 'openai' : 'scripted'),
    sees: (state, path) => bind(state, referenceOf(path)),
  },
  { path: 'models.*.context_window', sees: (state, path) => bind(state, referenceOf(path)) },
  {
    path: 'models.*.price.*',
    sees: (state, path) => bind(state, referenceOf(path)),
  },
  {
    path: 'assembly',
    to: () => 'tiered',
    sees: assemblyOf,
  },
  { path: 'assembly_policy', to: () => 'stability', sees: ({ config }) => statesOf(config.agent.assemblyPolicy) },
  { path: 'connections', to: () => 1, sees: countConnections },
  { path: 'unknown_price', to: () => 'zero', sees: (state) => bind(state, 'anthropic:of-tomorrow') },
  { path: 'trust.*', to: (policy) => (policy === 'strict' ? 'off' : 'strict'), sees: takeUnsigned },
  {
    path: 'input_env',
    to: () => ['CITY'],
    sees: ({ config }) =>
      outcome(() => fillInputRefs('in {env:CITY}', {}, { allowed: config.agent.inputEnv, values: { CITY: 'Rome' } })),
  },
  {
    path: 'tools.env',
    to: () => ['CITY'],
    sees: ({ config }) => childEnv({ CITY: 'Rome', HOME: '/home' }, config.agent.tools.env),
  },
  {
    path: 'tools.allow_private',
    to: () => ['127.0.0.0/8'],
    sees: ({ config }) => createAddressRule(config.agent.tools.allowPrivate)('127.0.0.1'),
  },
  { path: 'tools.max_processes', to: () => 1, sees: ({ config }) => countIn(config.agent.tools.maxProcesses) },
];
