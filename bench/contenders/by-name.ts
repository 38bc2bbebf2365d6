import type { Contender, ContenderSetup, ContenderSource, Library, LibrarySource } from './contender.ts';
import { withLibrary } from './in-memory.ts';

const LIBRARIES: Readonly<Record<string, () => Promise<Library>>> = {
  plain: async () => (await import('./plain.ts')).plain,
  'p-limit': async () => (await import('./p-limit.ts')).createPLimit(),
  effect: async () => (await import('./effect.ts')).effect,
  'ai-sdk': async () => (await import('./ai-sdk.ts')).aiSdk,
  'openai-agents': async () => (await import('./openai-agents.ts')).createOpenAIAgents(),
  'langgraph-bare': async () => (await import('./langgraph.ts')).langGraphBare,
  langgraph: async () => (await import('./langgraph.ts')).createLangGraph(),
  mastra: async () => (await import('./mastra.ts')).createMastra(),
};

const CONTENDERS: Readonly<Record<string, (setup: ContenderSetup) => Promise<Contender>>> = {
  skein: async (setup) => (await import('./skein.ts')).createSkein(setup),
  'skein-bare': async (setup) => (await import('./skein-bare.ts')).createSkeinBare(setup),
  plain: fromLibrary('plain'),
  'plain-encode': async (setup) => (await import('./plain-encode.ts')).createPlainEncode(setup),
  'p-limit': fromLibrary('p-limit'),
  effect: fromLibrary('effect'),
  'piscina-comlink': async (setup) => (await import('./piscina-comlink.ts')).createPiscinaComlink(setup),
  'ai-sdk': fromLibrary('ai-sdk'),
  'openai-agents': fromLibrary('openai-agents'),
  'langgraph-bare': fromLibrary('langgraph-bare'),
  langgraph: fromLibrary('langgraph'),
  mastra: fromLibrary('mastra'),
};

function fromLibrary(name: string): (setup: ContenderSetup) => Promise<Contender> {
  return async (setup) => withLibrary(setup, await loadLibrary(name));
}

/** Makes a contender; only its own code is loaded. */
export function createContender(name: string, setup: ContenderSetup): Promise<Contender> {
  return find(CONTENDERS, name)(setup);
}

/** Loads one that runs threads of any kind. */
export function loadLibrary(name: string): Promise<Library> {
  return find(LIBRARIES, name)();
}

function find<Make>(table: Readonly<Record<string, Make>>, name: string): Make {
  const found = Object.hasOwn(table, name) ? table[name] : undefined;
  if (!found) throw new Error(`There is no contender "${name}"; there are: ${Object.keys(table).join(', ')}`);
  return found;
}

/** Every contender there is. */
export const BY_NAME: ContenderSource = { names: Object.keys(CONTENDERS), create: createContender };
/** Those of them that run threads of any kind. */
export const LIBRARIES_BY_NAME: LibrarySource = { names: Object.keys(LIBRARIES), load: loadLibrary };
