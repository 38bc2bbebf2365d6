import type { Contender, ContenderSetup } from './contender.ts';

const CONTENDERS: Readonly<Record<string, (setup: ContenderSetup) => Promise<Contender>>> = {
  skein: async (setup) => (await import('./skein.ts')).createSkein(setup),
  'plain-encode': async (setup) => (await import('./plain-encode.ts')).createPlainEncode(setup),
  langgraph: async (setup) => (await import('./langgraph.ts')).createLangGraph(setup),
};

/** Makes a contender; only its own code is loaded. */
export function createContender(name: string, setup: ContenderSetup): Promise<Contender> {
  const create = Object.hasOwn(CONTENDERS, name) ? CONTENDERS[name] : undefined;
  if (!create) throw new Error(`There is no contender "${name}"; there are: ${Object.keys(CONTENDERS).join(', ')}`);
  return create(setup);
}
