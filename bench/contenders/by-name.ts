import type { Contender, ContenderSetup, ContenderSource } from './contender.ts';

const CONTENDERS: Readonly<Record<string, (setup: ContenderSetup) => Promise<Contender>>> = {
  skein: async (setup) => (await import('./skein.ts')).createSkein(setup),
  'skein-bare': async (setup) => (await import('./skein-bare.ts')).createSkeinBare(setup),
  plain: async (setup) => (await import('./plain.ts')).createPlain(setup),
  'plain-encode': async (setup) => (await import('./plain-encode.ts')).createPlainEncode(setup),
  'p-limit': async (setup) => (await import('./p-limit.ts')).createPLimit(setup),
  effect: async (setup) => (await import('./effect.ts')).createEffect(setup),
  'piscina-comlink': async (setup) => (await import('./piscina-comlink.ts')).createPiscinaComlink(setup),
  'ai-sdk': async (setup) => (await import('./ai-sdk.ts')).createAiSdk(setup),
  'openai-agents': async (setup) => (await import('./openai-agents.ts')).createOpenAIAgents(setup),
  'langgraph-bare': async (setup) => (await import('./langgraph.ts')).createLangGraphBare(setup),
  langgraph: async (setup) => (await import('./langgraph.ts')).createLangGraph(setup),
  mastra: async (setup) => (await import('./mastra.ts')).createMastra(setup),
};

/** Makes a contender; only its own code is loaded. */
export function createContender(name: string, setup: ContenderSetup): Promise<Contender> {
  const create = Object.hasOwn(CONTENDERS, name) ? CONTENDERS[name] : undefined;
  if (!create) throw new Error(`There is no contender "${name}"; there are: ${Object.keys(CONTENDERS).join(', ')}`);
  return create(setup);
}

/** Every contender there is. */
export const BY_NAME: ContenderSource = { names: Object.keys(CONTENDERS), create: createContender };
