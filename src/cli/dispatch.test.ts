import { expect, test } from 'vitest';
import { dispatch } from './dispatch.ts';

const NOWHERE = { write: () => undefined, isTTY: false };
const IO = {
  stdout: NOWHERE,
  stderr: NOWHERE,
  env: {},
  cwd: '/',
  onInterrupt: () => () => undefined,
  exit: () => undefined,
};

/** What help prints on a terminal that reports so many columns. */
async function helpAt(columns: number | undefined): Promise<string> {
  let out = '';
  const stdout = { write: (text: string) => (out += text), isTTY: true, ...(columns !== undefined && { columns }) };
  const io = { stdout, stderr: stdout, env: {}, cwd: '/', onInterrupt: () => () => undefined, exit: () => undefined };
  expect(await dispatch(['--help'], io)).toBe(0);
  return out;
}

test('Help on a terminal that reports 0 columns is as wide as where there is none', async () => {
  expect(await helpAt(0)).toBe(await helpAt(undefined));
  expect(await helpAt(60)).not.toBe(await helpAt(undefined));
});

test.each([
  [['--json'], 'No command is given before "--json"; the commands are: '],
  [['--project=x'], 'No command is given before "--project=x"; the commands are: '],
  [['--project', 'x'], 'No command is given before "--project"; the commands are: '],
  [['--jsn'], 'There is no option "--jsn"; the commands are: '],
  [['xxjson'], 'There is no command "xxjson"; the commands are: '],
])('%j is refused for what is wrong with it', async (args, message) => {
  await expect(dispatch(args, IO)).rejects.toThrow(message);
});
