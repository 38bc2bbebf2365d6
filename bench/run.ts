/* `npm run bench`: every scenario, with every contender. See README.md for the method. */
import { fileURLToPath } from 'node:url';
import { BY_NAME } from './contenders/by-name.ts';
import { mixed } from './scenarios/mixed.ts';
import { scenariosWith } from './scenarios/shipped.ts';
import { store } from './scenarios/store.ts';
import { stream } from './scenarios/stream.ts';
import { runSuite } from './suite.ts';

await runSuite({
  scenarios: [...scenariosWith(BY_NAME), mixed, stream, store],
  entry: import.meta.filename,
  out: fileURLToPath(new URL('./results', import.meta.url)),
});
