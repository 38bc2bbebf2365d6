import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Around, Finished } from '../src/cli/fixtures/carry-out.ts';
import { checkNodeVersion } from '../src/index.ts';
import { SKEIN, skeinHere, skeinProcess, startSkein, type Started } from './fixtures/skein-command.ts';
import { writeBelow } from './fixtures/write-below.ts';

const HELLO = `# Hello

\`\`\`xml
<directive name="hello" version="1.0.0">
  <metadata>
    <description>Says hello</description>
    <limits><turns>2</turns></limits>
    <permissions><execute><tool>rye/file-system/ls</tool></execute></permissions>
  </metadata>
  <inputs>
    <input name="who" required="true">Whom to greet</input>
    <input name="times" type="integer" default="1">How often</input>
  </inputs>
  <outputs><output name="greeting">The greeting</output></outputs>
</directive>
\`\`\`

Greet {input:who}.
`;

const RETURN = 'rye_agent_threads_directive_return';
const SCRIPTS: Readonly<Record<string, object>> = {
  greets: {
    rules: [
      {
        match: 'Greet (?P<who>[^.]*)\\.',
        tool_calls: [{ name: RETURN, input: { greeting: 'Hello, ${captures.who}! \u001b[2J\u202e' } }],
      },
    ],
  },
  writes: {
    rules: [
      { turn: 1, tool_calls: [{ name: 'rye_file_system_write', input: { path: 'x', content: 'y' } }] },
      { error: { message: '${last.text}' } },
    ],
  },
  loops: { rules: [{ tool_calls: [{ name: 'rye_file_system_ls', input: { path: '.' } }] }] },
  hands: {
    rules: [
      { turn: 1, usage: { input_tokens: 120_000 }, tool_calls: [{ name: 'rye_file_system_ls', input: { path: '.' } }] },
      { tool_calls: [{ name: 'rye_file_system_ls', input: { path: '.' } }] },
    ],
  },
  late: { rules: [{ delay_ms: 1_000, tool_calls: [{ name: RETURN, input: { greeting: 'Late, but here' } }] }] },
  hangs: { rules: [{ delay_ms: 600_000, text: 'done' }] },
};

let project: string;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'skein-cli-'));
  mkdirSync(join(project, '.ai', 'directives'), { recursive: true });
  write('home/.ai/config/agent.yaml', 'trust: { project: "off" }\n');
  write('.ai/directives/hello.md', HELLO);
  write('.ai/directives/broken.md', HELLO.replace('</inputs>', ''));
  for (const [name, script] of Object.entries(SCRIPTS)) write(`${name}.yaml`, JSON.stringify(script));
});

afterEach(() => rmSync(project, { recursive: true, force: true }));

const greet = (script: string): string[] => ['run', 'hello', '--input', 'who=Ada', ...scripted(script)];
const scripted = (script: string): string[] => ['--script', `s=${script}.yaml`, '--model', 'scripted:s'];

describe('skein run', () => {
  test('prints the outputs, with what would act on the terminal made visible', async () => {
    const run = await skeinProcess(greet('greets'), around());
    expect(run).toMatchObject({ code: 0, stdout: 'greeting: Hello, Ada! \\x1b[2J\\u202e\n' });
    expect(run.stderr).toMatch(/^1 thread: 1 completed · 1 turn · .* · \$0\.00 · /m);
  });

  test('writes one line for each change of state where there is no terminal', async () => {
    const { stderr } = await skein(greet('greets'));
    const states = stderr.split('\n').flatMap((line) => /^ +[\d.]+ s {2}[0-9a-f]{8} {2}(\w+)/.exec(line)?.[1] ?? []);
    expect(states).toEqual(['running', 'completed']);
    expect(stderr).not.toContain('\u001b');
  });

  test('prints the ending as one line of JSON that parses to the exact outputs', async () => {
    const { stdout } = await skein([...greet('greets'), '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'completed',
      thread_id: expect.stringMatching(/^thread-[0-9a-f]{32}$/),
      outputs: { greeting: 'Hello, Ada! \u001b[2J\u202e' },
      error: null,
      cost: { turns: 1, spend: 0 },
      tree_spend: 0,
      database: join(project, '.ai', 'threads', 'threads.db'),
    });
    expect(stdout.slice(0, -1)).toMatch(/^[ -~]*$/);
  });

  test('stores the transcript where it says', async () => {
    const { stderr } = await skein(greet('greets'));
    const [, file = '', id] = /^Transcript: (.*), thread (thread-[0-9a-f]{32})$/m.exec(stderr) ?? [];
    const db = new Database(file, { readonly: true });
    expect(db.prepare('SELECT thread_id, status FROM threads').all()).toEqual([{ thread_id: id, status: 'completed' }]);
    db.close();
  });

  test('a call of a tool without permission is refused with its own code, and changes nothing', async () => {
    const run = await skein(greet('writes'));
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/^ .* trouble .*\[permission_denied\].*rye\/file-system\/write/m);
    expect(existsSync(join(project, 'x'))).toBe(false);
  });

  test('goes on when whoever reads its progress leaves', async () => {
    const run = start(greet('late'));
    await run.said(/running {4}hello/);
    run.child.stderr.destroy();
    expect(await run.ended).toMatchObject({ code: 0, stdout: 'greeting: Late, but here\n' });
    expect(storedThreads("status = 'completed'")).toBe(1);
  });

  test('gives its thread other limits than the directive says', async () => {
    const { code, stderr } = await skein([...greet('loops'), '--limits', 'turns=1, spend=0.5']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('(limit: turns_exceeded: 1 of 1)')]);
  });

  test('a thread that is suspended at a limit ends the run, which says what a person has to decide', async () => {
    const run = await skeinProcess([...greet('loops'), '--json'], around());
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(
      /\nTo go on: skein approvals grant (approval-\w+) --turns \d+ --script s=loops.yaml, or skein approvals deny \1 --script s=loops.yaml \(skein approvals list says .*\)\nskein: Thread thread-\w+ is suspended and waits for a person \(limit: turns_exceeded.*\)\n$/,
    );
    const [id] = /approval-\w+/.exec(run.stderr) ?? [];
    expect(JSON.parse(run.stdout)).toMatchObject({
      status: 'suspended',
      error: null,
      suspend_reason: 'limit',
      approval: { approval_id: id, limit_code: 'turns_exceeded' },
      interrupted: false,
    });
  });
});

test.each([
  ['leaf', 'late', /\nWaiting for 1 other thread\. [^]* completed .*leaf[^]*2 completed/],
  [
    'stuck',
    'loops',
    /\nSuspended below it: to go on, skein approvals grant (approval-\w+) --turns N --script .*, or .* deny \1 .*\n$/,
  ],
])(
  'skein run waits for the %s that its thread has left running, and says how to go on',
  async (child, says, stderr) => {
    const args = parentOf([child], { says: JSON.stringify(SCRIPTS[says]).replace('1000', '3000') });
    expect(await skein(args)).toMatchObject({ code: 0, stderr: expect.stringMatching(stderr) });
  },
);

test('skein run waits for each thread alone: one that fails takes no other one along', async () => {
  write('.ai/config/resilience.yaml', 'coordination: { cancel_siblings_on_failure: true }\n');
  const args = parentOf(['bad', 'leaf'], {
    says: JSON.stringify({
      rules: [
        {
          directive: 'bad',
          turn: 1,
          delay_ms: 1_500,
          tool_calls: [{ name: 'rye_file_system_ls', input: { path: '.' } }],
        },
        { directive: 'bad', error: { status_code: 400, message: 'no' } },
        { delay_ms: 4_000, tool_calls: [{ name: RETURN, input: { greeting: 'Late' } }] },
      ],
    }),
  });
  const { stderr } = await skein(args);
  expect(stderr).toMatch(/ error {6}bad[^]* completed {2}leaf[^]*\n3 threads: /);
});

test('skein run ends when its thread only waits for a suspended one, and says how to go on with both', async () => {
  write('.ai/config/resilience.yaml', 'child_policy: { on_parent_complete: wait }\n');
  const run = await skein(parentOf(['stuck'], { says: JSON.stringify(SCRIPTS['loops']) }));
  expect(run.code).toBe(1);
  expect(run.stderr).toMatch(
    /\nThread (thread-\w+) waits for a person \(limit\): to go on, skein approvals grant .*, then skein resume (thread-\w+) --script .*\nskein: Thread \2 is suspended .*\(shutdown.*\)\n$/,
  );
});

describe('Ctrl-C while skein run waits', () => {
  test('for what is below a thread that is suspended itself leaves exit code 1', async () => {
    const calls = [{ name: 'rye_file_system_ls', input: { path: '.' } }];
    const run = start(parentOf(['leaf'], { says: JSON.stringify(SCRIPTS['hangs']), calls }));
    await run.said(/Waiting for 1 other thread/);
    run.child.kill('SIGINT');
    const { code, stderr } = await run.ended;
    expect([code, stderr]).toEqual([1, expect.stringMatching(/\(limit: turns_exceeded.*\)\n$/)]);
  });

  test('is answered with the command that takes all along which it has suspended', async () => {
    const says = JSON.stringify(SCRIPTS['hangs']);
    const run = start([...parentOf(['leaf', 'leaf'], { says, async_exec: false }), '--json']);
    await run.said(/(?: running {4}leaf[^]*){2}/);
    run.child.kill('SIGINT');
    const { code, stderr, stdout } = await run.ended;
    const standing = {
      status: 'suspended',
      error: null,
      suspend_reason: 'shutdown',
      approval: null,
      interrupted: true,
    };
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining(standing)]);
    expect(stderr).toMatch(
      /\nTo go on: skein resume (thread-\w+) --script .*\nskein: Thread \1 is suspended .*\(shutdown.*\)\n$/,
    );
  });
});

test('skein run says from which folder its thread goes on, and approvals list does', async () => {
  write('else where/loops.yaml', JSON.stringify(SCRIPTS['loops']));
  const cwd = join(project, 'else where');
  const { stderr } = await skeinHere([...greet('loops'), '--project', '..'], { ...around(), cwd });
  const there = `--project ${project}`;
  expect(stderr).toMatch(
    new RegExp(
      `To go on: skein approvals grant (approval-\\w+) --turns \\d+ ${there} --script s=loops.yaml, or ` +
        `skein approvals deny \\1 ${there} --script s=loops.yaml \\(skein approvals list ${there} says`,
    ),
  );
  const { stdout } = await skeinHere(['approvals', 'list', '--project', '..'], { ...around(), cwd });
  expect(stdout).toMatch(new RegExp(`  skein approvals grant approval-\\w+ --turns \\d+ ${there}\n`));
});

test('skein run says which thread is suspended, and why, when the first one had handed over', async () => {
  const run = await skein(greet('hands'));
  expect(run.code).toBe(1);
  expect(run.stderr).toMatch(
    / continued .* as (thread-\w+)\n[^]*\nskein: Thread \1 is suspended and waits for a person \(limit: turns_exceeded.*\)\n$/,
  );
});

describe('Bad input', () => {
  test.each<[string, readonly string[], string]>([
    ['no command', [], 'invalid_argument'],
    ['an unknown command', ['rnu', 'hello'], 'invalid_argument'],
    ['an unknown option before the command', ['--nope'], 'invalid_argument'],
    ['an unknown option', ['run', 'hello', '--nope'], 'invalid_argument'],
    ['an option without its value', ['run', 'hello', '--model'], 'invalid_argument'],
    ['a value for an option that takes none', ['run', 'hello', '--json=yes'], 'invalid_argument'],
    ['no directive', ['run'], 'invalid_argument'],
    ['two directives', ['run', 'hello', 'again'], 'invalid_argument'],
    ['an input without a value', ['run', 'hello', '--input', 'who'], 'invalid_argument'],
    ['an input without a name', ['run', 'hello', '--input', '=Ada'], 'invalid_argument'],
    ['an input twice', ['run', 'hello', '--input', 'who=Ada', '--input', 'who=Bob'], 'invalid_argument'],
    ['a number of workers that is none', ['run', 'hello', '--workers', '0'], 'invalid_argument'],
    ['a limit that is no number', ['run', 'hello', '--limits', 'turns=many'], 'invalid_argument'],
    ['a project that does not exist', ['run', 'hello', '--project', 'nowhere'], 'invalid_argument'],
    ['a project that is a file', ['run', 'hello', '--project', 'greets.yaml'], 'invalid_argument'],
    ['a dashboard of a project that does not exist', ['ui', '--project', 'nowhere'], 'invalid_argument'],
    ['a script that does not exist', ['run', 'hello', '--script', 's=nowhere.yaml'], 'invalid_argument'],
    ['a script that is no map', ['run', 'hello', '--script', 's=list.yaml'], 'invalid_config'],
    ['an unknown directive', ['run', 'nobody'], 'item_not_found'],
    ['a directive outside its space', ['run', '../hello'], 'item_id_refused'],
  ])('%s is refused before anything is written', async (_title, args, code) => {
    write('list.yaml', '- a');
    const run = await skein(args);
    expectRefusal(run, code === 'invalid_argument' ? 2 : 3, code);
    expect(readdirSync(join(project, '.ai'))).toEqual(['directives']);
  });

  test.each<[string, readonly string[], string]>([
    ['malformed XML', ['run', 'broken'], 'invalid_item'],
    ['a missing input', ['run', 'hello', ...scripted('greets')], 'missing_input'],
    ['an input of a wrong type', [...greet('greets'), '--input', 'times=often'], 'invalid_input'],
    ['an input named __proto__', [...greet('greets'), '--input', '__proto__=x'], 'invalid_input'],
    ['an unknown limit', [...greet('greets'), '--limits', 'speed=3'], 'invalid_argument'],
    ['an unknown model', ['run', 'hello', '--input', 'who=Ada', '--model', 'nobody:knows'], 'invalid_config'],
    ['a script nobody gave', ['run', 'hello', '--input', 'who=Ada', '--model', 'scripted:x'], 'invalid_config'],
    ['a missing key', ['run', 'hello', '--input', 'who=Ada', '--model', 'openai:gpt-5'], 'provider_key_missing'],
  ])('%s is refused, and leaves no thread', async (_title, args, code) => {
    expectRefusal(await skein(args), code === 'invalid_argument' ? 2 : 3, code);
    expect(storedThreads()).toBe(0);
    expect(readdirSync(join(project, '.ai', 'threads'))).not.toContain('runtime.pid');
  });

  test('malformed XML is refused with file and line', async () => {
    expect((await skein(['run', 'broken'])).stderr).toMatch(/broken\.md:\d+/);
  });

  test('wrong configuration is refused before the database is made', async () => {
    mkdirSync(join(project, '.ai', 'config'));
    write('.ai/config/resilience.yaml', "schema_version: '1.0.0'\nlimits: { defaults: { turns: many } }\n");
    expectRefusal(await skein(greet('greets')), 3, 'invalid_config');
    expect(existsSync(join(project, '.ai', 'threads'))).toBe(false);
  });

  test('a project that can not be written is refused', async () => {
    // A file where the folder should be: refused for every user, root included.
    write('.ai/threads', '');
    expectRefusal(await skein(greet('greets')), 3, 'project_unwritable');
    expect(readdirSync(join(project, '.ai'))).toEqual(['directives', 'threads']);
  });

  test('a Node that is too old is refused before anything of it breaks', () => {
    expect(() => checkNodeVersion('20.1.0')).toThrow(expect.objectContaining({ code: 'node_version' }));
  });

  const old = oldNode();
  test.runIf(old)('an old Node gets the same line', async () => {
    const run = await skeinProcess(greet('greets'), { ...around(), node: old });
    expectRefusal(run, 3, 'node_version');
    expect(readdirSync(join(project, '.ai'))).toEqual(['directives']);
  });

  test('a second runtime on the project is refused; Ctrl-C suspends what the first one runs', async () => {
    const first = start(greet('hangs'));
    await first.said(/running {4}hello/);
    expectRefusal(await skeinProcess(greet('greets'), around()), 3, 'project_locked');
    first.child.kill('SIGINT');
    const run = await first.ended;
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(/is suspended and can be resumed \(shutdown.*\)\n$/);
    expect(storedThreads("status = 'suspended'")).toBe(1);
    // What is suspended in another tree is nothing to say here.
    expect(await skein(greet('greets'))).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining('skein resume'),
    });
  });

  test.skipIf(process.platform === 'win32')('a working folder that is gone is refused in a line', () => {
    const gone = join(project, 'gone');
    const line = 'mkdir "$1" && cd "$1" && rmdir "$1" && exec "$2" "$3" list';
    const run = spawnSync('sh', ['-c', line, 'sh', gone, process.execPath, SKEIN], { encoding: 'utf8' });
    const stderr = 'skein: The working folder is not there any more [not_available]\n';
    expect([run.status, run.stdout, run.stderr]).toEqual([3, '', stderr]);
  });

  test('a second Ctrl-C ends at once', async () => {
    const first = start(greet('hangs'));
    await first.said(/running {4}hello/);
    first.child.kill('SIGINT');
    await first.said(/Ctrl-C again/);
    first.child.kill('SIGINT');
    expect(await first.ended).toMatchObject({ code: 130, stderr: expect.not.stringContaining('Transcript') });
  });
});

test('Ctrl-C before anything runs in the runtime that is there is no refusal', async () => {
  let signal = (): void => undefined;
  const onInterrupt = (listener: () => void) => {
    signal = listener;
    return () => (signal = () => undefined);
  };
  const running = skeinHere([...greet('greets'), '--json'], {
    ...around(),
    onInterrupt,
    // One before there is a runtime: it goes on nevertheless.
    exit: () => undefined,
  });
  const poke = setInterval(() => signal());
  const { code, stdout, stderr } = await running.finally(() => clearInterval(poke));
  expect([code, JSON.parse(stdout)]).toMatchObject([130, { error: { message: 'Interrupted before anything ran' } }]);
  expect(stderr).toMatch(/^Closing: .*\nskein: Interrupted before anything ran \[runtime_closed\]\n$/);
});

test.each([['--help'], ['-h'], ['run', '--help']])(
  'skein %s … explains the commands and the exit codes',
  async (...args) => {
    const run = await skein(args);
    expect(run).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/skein run DIRECTIVE[^]*Exit codes/),
    });
  },
);

test('skein --version prints the version', async () => {
  expect(await skeinProcess(['--version'], around())).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
});

/** Has `hello` start these directives, whose model says this, and then return, or call something else; gives what runs it. */
function parentOf(
  children: readonly string[],
  {
    says,
    calls,
    async_exec = true,
  }: { readonly says: string; readonly calls?: object[]; readonly async_exec?: boolean },
): string[] {
  const spawn = 'rye/agent/threads/thread_directive';
  const tools = `rye/file-system/ls</tool><tool>${spawn}</tool><directive>*</directive>`;
  write('.ai/directives/hello.md', HELLO.replace('rye/file-system/ls</tool>', tools));
  for (const child of children) write(`.ai/directives/${child}.md`, HELLO.replace('name="hello"', `name="${child}"`));
  const tool_calls = children.map((directive_name) => ({
    name: spawn.replace(/\W/g, '_'),
    input: { directive_name, async_exec, inputs: { who: 'Ada' }, model: 'scripted:c' },
  }));
  const rest = calls ?? [{ name: RETURN, input: { greeting: 'Hello' } }];
  write('parent.yaml', JSON.stringify({ rules: [{ turn: 1, tool_calls }, { tool_calls: rest }] }));
  write('child.yaml', says);
  return [...greet('parent'), '--script', 'c=child.yaml'];
}

function expectRefusal(run: Finished, exitCode: number, code: string): void {
  expect(run.stderr).toMatch(new RegExp(`^skein: [^\\n]+ \\[${code}\\]\\n$`));
  expect(run).toMatchObject({ code: exitCode, stdout: '' });
}

/** In this process; what is about the process is started as one. */
function skein(args: readonly string[]): Promise<Finished> {
  return skeinHere(args, around());
}

function around(): Around {
  return { cwd: project, env: { PATH: process.env['PATH'], HOME: join(project, 'home') } };
}

/** A process, and a wait for what it says on stderr. */
function start(args: readonly string[]): Started & { readonly said: (pattern: RegExp) => Promise<void> } {
  const started = startSkein(args, around());
  const { child, printed } = started;
  const said = (pattern: RegExp): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!pattern.test(printed.stderr)) return;
        child.stderr.off('data', look);
        resolve();
      };
      child.stderr.on('data', look);
      look();
    });
  return { ...started, said };
}

/** A Node of the system that Skein does not run on, if there is one. */
function oldNode(): string | undefined {
  const node = '/usr/bin/node';
  if (!existsSync(node)) return undefined;
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' });
  return Number(/^v(\d+)/.exec(version)?.[1]) < 22 ? node : undefined;
}

function storedThreads(where = '1'): number {
  const db = new Database(join(project, '.ai', 'threads', 'threads.db'), { readonly: true });
  try {
    return Number(db.prepare(`SELECT COUNT(*) FROM threads WHERE ${where}`).pluck().get());
  } finally {
    db.close();
  }
}

function write(path: string, text: string): void {
  writeBelow(project, path, text);
}
