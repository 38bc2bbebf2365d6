/*
 * A program whose disk fails under it: `node runtime-under-fault.ts PROJECT`. Runs one thread `quick` after the other,
 * printing `ended ID STATUS` for each, and `problem CODE` for what the runtime tells, until it takes no more: `refused
 * CODE`. Then it closes the runtime and prints `closed`; it ends by itself.
 */
import { writeSync } from 'node:fs';
import { importSkein } from '../fixtures/skein.ts';

const [project = ''] = process.argv.slice(2);
const { createRuntime, SkeinError } = await importSkein();
const runtime = await createRuntime({
  project,
  userSpace: false,
  workers: 1,
  scripts: { main: { rules: [{ directive: 'quick', text: 'done '.repeat(2_000) }] } },
  config: { agent: { tiers: { general: { provider: 'scripted', model: 'main' } } } },
});
runtime.on('problem', ({ code }) => say(`problem ${code}`));
try {
  for (;;) {
    const handle = await runtime.spawn('quick');
    const { status } = await handle.result;
    say(`ended ${handle.id} ${status}`);
  }
} catch (thrown) {
  say(`refused ${thrown instanceof SkeinError ? thrown.code : String(thrown)}`);
}
await runtime.close();
say('closed');

function say(line: string): void {
  writeSync(1, `${line}\n`);
}
