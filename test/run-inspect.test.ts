import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { receive } from './fixtures/inspector-receiver.ts';
import { NEVER, project, SCRIPTED, scriptOf, starterOf, type Part, type Project } from './fixtures/scene.ts';
import { skeinHere, startSkein, type Started } from './fixtures/skein-command.ts';

const PARTS: Readonly<Record<string, Part>> = {
  leaf: { says: [NEVER] },
  other: { says: [NEVER] },
  parent: starterOf(['leaf', 'other', 'leaf'], NEVER),
};

let own: Project;

beforeAll(() => {
  own = project(PARTS);
  mkdirSync(join(own.path, 'home', '.ai', 'config'), { recursive: true });
  own.write('home/.ai/config/agent.yaml', JSON.stringify(SCRIPTED));
  own.write('main.yaml', JSON.stringify(scriptOf(PARTS)));
});
afterAll(() => own[Symbol.dispose]());

const RUN = ['run', 'parent', '--script', 'main=main.yaml'];

function around() {
  return { cwd: own.path, env: { PATH: process.env['PATH'], HOME: join(own.path, 'home') } };
}

/** Runs the tree with these options and gives what is printed where; it goes on until it is stopped. */
async function start(...options: readonly string[]): Promise<{ run: Started; line: string }> {
  const run = startSkein([...RUN, ...options], around());
  onTestFinished(() => void run.child.kill('SIGKILL'));
  const line = await new Promise<string>((resolve, reject) => {
    run.child.stderr.on('data', () => {
      const found = /^Inspector: .*$/m.exec(run.printed.stderr)?.[0];
      if (found !== undefined && run.printed.stderr.includes(`${found}\n`)) resolve(found);
    });
    run.child.once('close', () => reject(new Error(run.printed.stderr)));
  });
  return { run, line };
}

/** Looks on with the receiver of `@statelyai/inspect` until `names` are known, and gives all that was seen to the end of the run. */
async function lookOn(options: readonly string[], ready: (directives: readonly string[]) => boolean) {
  const { run, line } = await start(...options);
  const receiver = receive(/ws:\S+/.exec(line)?.[0] ?? '');
  const directives = (): readonly string[] => {
    const threads = [...receiver.actors()].filter(([name]) => name.startsWith('thread-'));
    return threads.map(([, { context }]) => String(context['directive'])).toSorted();
  };
  await receiver.until('supervisor');
  await expect.poll(() => ready(directives()), { timeout: 20_000 }).toBe(true);
  run.child.kill('SIGINT');
  expect(await run.ended).toMatchObject({ code: 0 });
  return { line, directives: directives() };
}

describe('skein run --inspect', () => {
  test('prints an address at which a receiver that comes late is told of every thread', async () => {
    const seen = await lookOn(['--inspect'], (directives) => directives.length === 4);
    expect(seen.line).toMatch(
      /^Inspector: a receiver of @statelyai\/inspect connects to ws:\/\/127\.0\.0\.1:\d+\/\?token=/,
    );
    expect(seen.directives).toEqual(['leaf', 'leaf', 'other', 'parent']);
  });

  test('looks at the directives alone that it is given', async () => {
    const options = ['--inspect', '--inspect-directive', 'le*', '--inspect-directive', 'oth'];
    const { directives } = await lookOn(options, (found) => found.length === 2);
    expect(directives).toEqual(['leaf', 'leaf']);
  });

  test('looks at the thread that is run alone, if the share is too small for a child', async () => {
    const options = ['--inspect', '--inspect-sample', '0.000000001'];
    const { directives } = await lookOn(options, (found) => found.length === 1);
    expect(directives).toEqual(['parent']);
  });

  test('with =stately prints the address of a page, and what leaves the machine by it', async () => {
    const { run, line } = await start('--inspect=stately');
    expect(line).toMatch(/^Inspector: http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/);
    run.child.kill('SIGINT');
    const { code, stderr } = await run.ended;
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('hands it threads, directives, states and their events'),
    ]);
  });

  test('says nothing of an inspector for a run that is refused', async () => {
    const { code, stderr } = await skeinHere(['run', 'nobody', '--inspect=stately'], around());
    expect([code, stderr]).toEqual([3, expect.stringMatching(/^skein: There is no directive "nobody"/)]);
  });

  test.each([
    [['--inspect=yes'], '--inspect is "yes"'],
    [['--inspect-sample', '0.1'], 'go with --inspect'],
    [['--inspect', '--inspect-sample', '2'], '--inspect-sample is "2"'],
  ])('%j is refused', async (options, message) => {
    const { code, stderr } = await skeinHere([...RUN, ...options], around());
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
