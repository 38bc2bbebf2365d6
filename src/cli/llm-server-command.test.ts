import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dispatch } from './dispatch.ts';
import { readScript } from './script-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-llm-server-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the command until what is to be done with the server that it has started is done. */
async function run(args: readonly string[], then: (origin: string) => Promise<void>): Promise<void> {
  const listening = Promise.withResolvers<string>();
  let interrupt = (): void => undefined;
  const ended = dispatch(['llm-server', ...args, '--json'], {
    stdout: { write: (text) => listening.resolve(text) },
    stderr: { write: () => undefined },
    env: {},
    cwd: folder,
    onInterrupt: (stop) => {
      interrupt = stop;
      return () => undefined;
    },
    exit: () => undefined,
  });
  await Promise.race([ended, listening.promise.then((line) => then(JSON.parse(line).origin))]);
  interrupt();
  await ended;
}

async function ask(origin: string, model: string): Promise<unknown> {
  const body = JSON.stringify({ model, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] });
  const answer = await fetch(`${origin}/v1/messages`, { method: 'POST', body });
  return answer.json();
}

const says = (text: string): object => ({ content: [{ type: 'text', text }] });

test('a module may be a script, as data or with a function', async () => {
  writeFileSync(join(folder, 'data.ts'), "const text: string = 'as data';\nexport default { rules: [{ text }] };\n");
  writeFileSync(join(folder, 'asked.mjs'), 'export default { respond: ({ model }) => ({ text: `I am ${model}` }) };\n');
  await run(['data.ts', '--script', 'asked=asked.mjs'], async (origin) => {
    expect(await ask(origin, 'any')).toMatchObject(says('as data'));
    expect(await ask(origin, 'asked')).toMatchObject(says('I am asked'));
  });
});

test.each([
  ['that is not there', 'none.ts', undefined, /There is no such script/],
  ['without a script', 'empty.mjs', 'export const rules = [];', /exports no script by default/],
  ['that fails', 'fails.mjs', "throw new Error('not today');", /can't be loaded: not today/],
])('a module %s is refused', async (_, name, text, message) => {
  if (text !== undefined) writeFileSync(join(folder, name), text);
  const refused = {
    code: 'invalid_argument',
    message: expect.stringMatching(message),
    where: { file: join(folder, name) },
  };
  await expect(run([name], () => Promise.resolve())).rejects.toMatchObject(refused);
});

test('where a script goes to workers a module is refused', () => {
  writeFileSync(join(folder, 'data.ts'), 'export default { rules: [] };');
  expect(() => readScript(join(folder, 'data.ts'))).toThrow(/a module is for skein llm-server/);
});
