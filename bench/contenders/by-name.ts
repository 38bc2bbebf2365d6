import type { Contender, ContenderSetup, ContenderSource, Library, LibrarySource } from './contender.ts';
import { withLibrary } from './in-memory.ts';

const LIBRARIES: Readonly<Record<string, () => Promise<Library>>> = {
  plain: async () => (await import('./plain.ts')).createPlain(),
  'p-limit': async () => (await import('./p-limit.ts')).createPLimit(),
  effect: async () => (await import('./effect.ts')).createEffect(),
  'ai-sdk': async () => (await import('./ai-sdk.ts')).createAiSdk(),
  'openai-agents': async () => (await import('./openai-agents.ts')).createOpenAIAgents(),
  'langgraph-bare': async () => (await import('./langgraph.ts')).createLangGraphBare(),
  langgraph: async () => (await import('./langgraph.ts')).createLangGraph(),
  mastra: async () => (await import('./mastra.ts')).createMastra(),
};

/** Those that run threads of the workload alone. */
const OTHERS: Readonly<Record<string, (setup: ContenderSetup) => Promise<Contender>>> = {
  skein: async (setup) => (await import('./skein.ts')).createSkein(setup),
  'skein-bare': async (setup) => (await import('./skein-bare.ts')).createSkeinBare(setup),
  'plain-encode': async (setup) => (await import('./plain-encode.ts')).createPlainEncode(setup),
  'piscina-comlink': async (setup) => (await import('./piscina-comlink.ts')).createPiscinaComlink(setup),
  'langgraph-functional': async (setup) =>
    withLibrary(setup, (await import('./langgraph-functional.ts')).createLangGraphFunctional()),
};

/** Makes a contender; only its own code is loaded. */
export async function createContender(name: string, setup: ContenderSetup): Promise<Contender> {
  const create = Object.hasOwn(OTHERS, name) ? OTHERS[name] : undefined;
  return create ? create(setup) : withLibrary(setup, await loadLibrary(name));
}

/** Loads one that runs threads of any kind. */
export function loadLibrary(name: string): Promise<Library> {
  const load = Object.hasOwn(LIBRARIES, name) ? LIBRARIES[name] : undefined;
  if (!load) throw new Error(`There is no contender "${name}"; there are: ${BY_NAME.names.join(', ')}`);
  return load();
}

/** Those that run threads of any kind. */
export const LIBRARIES_BY_NAME: LibrarySource = { names: Object.keys(LIBRARIES), load: loadLibrary };
/** Every contender there is. */
export const BY_NAME: ContenderSource = {
  names: [...Object.keys(OTHERS), ...LIBRARIES_BY_NAME.names],
  create: createContender,
};
