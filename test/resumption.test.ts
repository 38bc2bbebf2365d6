import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { scene, startOn, until, type Part, type Scene } from './fixtures/scene.ts';
import { storedFlaws } from './fixtures/stored-flaws.ts';

const PARTS: Readonly<Record<string, Part>> = {
  echo: { says: [{ text: '${last.text}', delay_ms: 300 }] },
  endless: { says: [{ text: 'never', delay_ms: 3_600_000 }] },
};

const ONE_SLOT = { config: { resilience: { concurrency: { max_total_threads: 1 } } } };

test.each([
  ['had begun', 'shutdown', begun],
  ['had not begun', 'user', notBegun],
] as const)(
  'A thread that %s and was resumed goes on, with what it was told, although its runtime is killed before its turn',
  async (_name, reason, suspended) => {
    await using it = await scene(PARTS, ONE_SLOT);
    const id = await suspended(it);
    expect(it.project.row(id)).toMatchObject({ status: 'suspended', suspendReason: reason });
    await it.runtime.close({ graceMs: 0 });
    await killAfterResuming(it.project.path, id);
    const database = join(it.project.path, '.ai', 'threads', 'threads.db');
    expect(storedFlaws(database)).toEqual([]);
    expect(it.project.row(id)).toMatchObject({ status: 'suspended', suspendReason: 'shutdown' });

    await using next = await startOn(it.project, PARTS, RECOVERING);
    expect(await next.thread(id).result).toMatchObject({ status: 'completed', text: 'are you there?' });
    const resumptions = it.project.log(id).filter(({ event_type }) => event_type === 'thread_resumed');
    expect(resumptions).toMatchObject([{ payload: { message: 'are you there?', limits: { turns: 7 } } }]);
    expect(storedFlaws(database)).toEqual([]);
  },
);

const RECOVERING = { config: { resilience: { coordination: { on_restart: 'resume' } } } };

async function begun({ runtime }: Scene): Promise<string> {
  const handle = await runtime.spawn('echo');
  await until(handle, 'cognition_in');
  await runtime.close({ graceMs: 0 });
  return handle.id;
}

async function notBegun({ runtime }: Scene): Promise<string> {
  await runtime.spawn('endless');
  const handle = await runtime.spawn('echo');
  await handle.suspend();
  return handle.id;
}

/** A runtime whose only slot is taken is told to resume the thread, and killed once it has said that it does. */
async function killAfterResuming(path: string, id: string): Promise<void> {
  const file = fileURLToPath(new URL('fixtures/resume-process.ts', import.meta.url));
  const child = spawn(process.execPath, [file, path, id], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    expect(line).toBe('resumed');
    child.kill('SIGKILL');
  }
  await ended;
}
