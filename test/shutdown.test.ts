import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Around } from '../src/cli/fixtures/carry-out.ts';
import { NEVER, project, SCRIPTED, scriptOf, starterOf, type Part, type Project } from './fixtures/scene.ts';
import { skeinHere, startSkein, type Started } from './fixtures/skein-command.ts';

const PARTS: Readonly<Record<string, Part>> = {
  endless: { says: [NEVER] },
  soon: { says: [{ text: 'in time', delay_ms: 300 }] },
  parent: starterOf(['endless', 'soon', 'endless'], NEVER),
};

let own: Project;

beforeEach(() => {
  own = project(PARTS);
  mkdirSync(join(own.path, 'home', '.ai', 'config'), { recursive: true });
  own.write('home/.ai/config/agent.yaml', JSON.stringify(SCRIPTED));
  own.write('main.yaml', JSON.stringify(scriptOf(PARTS)));
});
afterEach(() => own[Symbol.dispose]());

function around(): Around {
  return { cwd: own.path, env: { PATH: process.env['PATH'], HOME: join(own.path, 'home') } };
}

const SCRIPT = ['--script', 'main=main.yaml', '--workers', '1'];

/** A command line in a process of its own, once it has said something on stderr. */
async function started(args: readonly string[], pattern: RegExp): Promise<Started> {
  const process = startSkein([...args, ...SCRIPT], around());
  await said(process, pattern);
  return process;
}

function said({ child, printed }: Started, pattern: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (pattern.test(printed.stderr)) resolve();
    };
    child.stderr.on('data', look);
    child.once('close', () => reject(new Error(`It ended, having said ${printed.stderr}`)));
    look();
  });
}

const THREE_CHILDREN = /(?:running {4}(?:endless|soon)[^]*){3}/;

/** What `skein doctor` says of what is there: nobody has opened it since, and it changes nothing. */
async function expectClean(): Promise<void> {
  const { code, stdout, stderr } = await skeinHere(['doctor', '--json'], around());
  expect([code, JSON.parse(stdout), stderr]).toEqual([0, expect.objectContaining({ findings: [] }), '']);
}

async function threads(status: string): Promise<readonly { readonly thread_id: string; readonly directive: string }[]> {
  const { stdout } = await skeinHere(['list', '--status', status, '--json'], around());
  return (JSON.parse(stdout) as { threads: { thread_id: string; directive: string }[] }).threads;
}

/** Through the runtime, if there is one. */
function idsOf(status: string): () => Promise<readonly string[]> {
  return async () => (await threads(status)).map(({ thread_id: id }) => id);
}

test('SIGTERM lets threads end, suspends the rest, exits 0; so does it when one of them goes on', async () => {
  const run = await started(['run', 'parent'], THREE_CHILDREN);
  run.child.kill('SIGTERM');
  const ended = await run.ended;
  expect(ended).toMatchObject({ code: 0, stdout: '' });
  expect(ended.stderr).toMatch(/\nskein: Thread thread-\w+ is suspended and can be resumed \(shutdown.*\)\n$/);
  await expectClean();
  expect((await threads('completed')).map(({ directive }) => directive)).toEqual(['soon']);
  const suspended = await threads('suspended');
  expect(suspended.map(({ directive }) => directive).toSorted()).toEqual(['endless', 'endless', 'parent']);
  for (const { thread_id: id } of suspended) expect(own.row(id)).toMatchObject({ suspendReason: 'shutdown' });

  const [{ thread_id: id } = { thread_id: '' }] = suspended;
  const resume = startSkein(['resume', id, '--json', ...SCRIPT], around());
  await expect.poll(idsOf('running'), { timeout: 20_000 }).toContain(id);
  resume.child.kill('SIGTERM');
  const resumed = await resume.ended;
  expect([resumed.code, JSON.parse(resumed.stdout)]).toMatchObject([
    0,
    { thread_id: id, interrupted: true, outcome: { status: 'suspended' } },
  ]);
  await expectClean();
});

test('a second signal ends at once, and leaves a sound database and what the next runtime makes whole', async () => {
  const run = await started(['run', 'parent'], THREE_CHILDREN);
  run.child.kill('SIGTERM');
  await said(run, /Ctrl-C again/);
  run.child.kill('SIGINT');
  expect(await run.ended).toMatchObject({ code: 130, stderr: expect.not.stringContaining('Transcript') });
  await expectClean();
  const next = await skeinHere(['run', 'soon', ...SCRIPT], around());
  expect(next).toMatchObject({ code: 0, stdout: 'in time\n' });
  await expectClean();
});
