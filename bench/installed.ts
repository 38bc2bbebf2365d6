/* `skein bench`: what the package ships of the bench, which needs nothing but the package (ADR 57). */
import type { ContenderSource, LibrarySource } from './contenders/contender.ts';
import { createPlain } from './contenders/plain.ts';
import { createPlainEncode } from './contenders/plain-encode.ts';
import { createSkein } from './contenders/skein.ts';
import { scenariosWith } from './scenarios/shipped.ts';
import { runSuite } from './suite.ts';

const SHIPPED: ContenderSource = {
  names: ['skein', 'plain-encode'],
  create: (name, setup) => (name === 'skein' ? createSkein : createPlainEncode)(setup),
};

const LIBRARIES: LibrarySource = { names: ['plain'], load: () => Promise.resolve(createPlain()) };

await runSuite({ scenarios: scenariosWith(SHIPPED, LIBRARIES), entry: import.meta.filename, out: undefined });
