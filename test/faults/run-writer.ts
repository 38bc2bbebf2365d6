import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const WRITER = new URL('../conformance/store-kill-writer.ts', import.meta.url);

/** How the writer is run. */
export type WriterRun = {
  readonly path: string;
  /** Another program than store-kill-writer.ts. */
  readonly program?: URL;
  /** Rounds of steps, after which it kills itself; without it it goes on until something fails. */
  readonly rounds?: number;
  /** A command that runs it, e.g. `prlimit`. */
  readonly under?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly uid?: number;
};

/** What the writer printed: acknowledgements, and in the end which failure it met. */
export type Printed = { readonly text: string; readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** Runs the writer of store-kill-writer.ts; what it prints goes through a file, so that its size at a sync can be seen. */
export async function runWriter({ path, program = WRITER, rounds, under = [], env, uid }: WriterRun): Promise<Printed> {
  const file = join(dirname(dirname(path)), 'printed.txt');
  const out = openSync(file, 'w');
  const node = [process.execPath, fileURLToPath(program), path, ...(rounds ? [String(rounds)] : [])];
  const [command = '', ...args] = [...under, ...node];
  const child = spawn(command, args, {
    stdio: ['ignore', out, 'inherit'],
    // Without it files that have nothing to do with the store would be written.
    env: { PATH: process.env['PATH'], NODE_DISABLE_COMPILE_CACHE: '1', ...env },
    ...(uid !== undefined && { uid }),
  });
  await once(child, 'close');
  closeSync(out);
  return { text: readFileSync(file, 'utf8'), code: child.exitCode, signal: child.signalCode };
}
