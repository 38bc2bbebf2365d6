/* `npm run bench`: the scenarios, with their contenders. See README.md for the method. */
import { fileURLToPath } from 'node:url';
import { BY_NAME, LIBRARIES_BY_NAME } from './contenders/by-name.ts';
import { scenariosWith } from './scenarios/shipped.ts';
import { runSuite } from './suite.ts';

await runSuite({
  scenarios: scenariosWith(BY_NAME, LIBRARIES_BY_NAME),
  fromSource: {
    mixed: async () => (await import('./scenarios/mixed.ts')).mixed,
    stream: async () => (await import('./scenarios/stream.ts')).stream,
    store: async () => (await import('./scenarios/store.ts')).store,
  },
  entry: import.meta.filename,
  out: fileURLToPath(new URL('./results', import.meta.url)),
});
