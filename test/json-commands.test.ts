import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Around, Finished } from '../src/cli/fixtures/carry-out.ts';
import { COMMANDS } from '../src/cli/commands.ts';
import type { Runtime } from '../src/index.ts';
import { give, NEVER, project, startOn, starterOf, until, type Part, type Project } from './fixtures/scene.ts';
import { skeinHere, startSkein } from './fixtures/skein-command.ts';

/** What a model must not be able to do to whoever looks: colours, titles, links, cleared screens, reversed and hidden text. */
const HARMFUL =
  'red \u001B[31m \u001B]0;title\u0007 \u001B]8;;http://x\u001B\\ \u009B2J \u202Edone\u2066 \u{E0041}\r\n# Forged';
const UNSAFE = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/u;

const NOTHING = { tool_calls: [{ name: `nothing${HARMFUL}`, input: { text: HARMFUL } }] };
const PARTS: Readonly<Record<string, Part>> = {
  leaf: { outputs: ['text'], body: `Do it. ${HARMFUL.replaceAll('\u{E0041}', '')}`, says: [give({ text: HARMFUL })] },
  endless: { says: [NEVER] },
  loops: { limits: { turns: 1 }, says: [NOTHING, NEVER] },
  steps: { limits: { turns: 100 }, says: [{ ...NOTHING, delay_ms: 100 }] },
  parent: starterOf(['leaf', 'leaf', 'leaf', 'endless'], NEVER),
};

let own: Project;
let runtime: Runtime;
const ids: Record<string, string> = {};

beforeAll(async () => {
  own = project(PARTS);
  mkdirSync(join(own.path, 'home', '.ai', 'config'), { recursive: true });
  own.write('home/.ai/config/agent.yaml', 'trust: { project: "off" }\n');
  own.write('alone/.ai/directives/leaf.md', '```xml\n<directive name="leaf" version="1.0.0"/>\n```\n\nDo it.\n');
  own.write('ada.pem', String(generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' })));
  own.write('greet.prompty', `---\nname: greet\n---\nsystem:\nBe kind. ${HARMFUL}\n`);
  own.write('answers.yaml', JSON.stringify({ rules: [{ text: HARMFUL }] }));
  runtime = await startOn(own, PARTS);
  const leaf = await runtime.spawn('leaf');
  await leaf.result;
  ids['leaf'] = leaf.id;
  for (const name of ['grant', 'deny', 'resume', 'resume-thread', 'fork']) {
    const { id } = await runtime.spawn('loops');
    await runtime.waitAll([id]);
    const [request] = await runtime.approvals.list({ thread: id });
    Object.assign(ids, { [name]: id, [`${name}-approval`]: request?.approvalId ?? '' });
  }
  for (const name of ['cancel', 'cancel-thread', 'kill-thread', 'suspend-thread']) {
    const handle = await runtime.spawn('endless');
    await until(handle, 'thread_started');
    ids[name] = handle.id;
  }
  const parent = await runtime.spawn('parent');
  ids['parent'] = parent.id;
  let started = 0;
  await until(parent, 'child_thread_started', () => ++started === 4);
});
afterAll(async () => {
  await runtime.close({ graceMs: 0 });
  own[Symbol.dispose]();
});

function around(): Around {
  const git = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_CEILING_DIRECTORIES: dirname(own.path) };
  return { cwd: own.path, env: { PATH: process.env['PATH'], HOME: join(own.path, 'home'), ...git } };
}

/** A command line for each command by its name; `@leaf` is the id of that thread. In `alone/` no runtime is. */
const LINES: Readonly<Record<string, readonly string[]>> = {
  run: ['leaf', '--project', 'alone', '--script', 's=answers.yaml', '--model', 'scripted:s'],
  prompt: ['leaf', '--script', 's=answers.yaml', '--model', 'scripted:s'],
  render: ['greet.prompty'],
  'commit-message': ['--project', 'alone', '--script', 's=answers.yaml', '--model', 'scripted:s'],
  top: ['--interval', '0.1'],
  status: [],
  list: ['--limit', '2'],
  tree: ['@parent', '--width', '2'],
  tail: ['@leaf'],
  transcript: ['@leaf'],
  export: ['@leaf', '@resume'],
  replay: ['@leaf'],
  machine: ['supervisor'],
  cancel: ['@cancel', '--tree'],
  resume: ['@resume', '--limits', 'turns=5'],
  fork: ['@fork', '--at', '3'],
  'approvals list': [],
  'approvals grant': ['@grant-approval', '--turns', '5'],
  'approvals deny': ['@deny-approval', '--message', HARMFUL],
  'item list': [],
  'item show': ['leaf'],
  'item search': ['leaf'],
  'keys init': [],
  sign: ['leaf'],
  verify: ['--space', 'project'],
  'keys list': [],
  'keys trust': ['ada.pem'],
  'config show': ['resilience'],
  models: ['haiku'],
  doctor: [],
  gc: ['--project', 'alone'],
  bench: ['resume', '--threads', '3', '--runs', '1', '--contender', 'skein'],
  completion: ['bash'],
  'threads list': [],
  'threads list-threads': [],
  'threads list-active': [],
  'threads get-status': ['@leaf'],
  'threads list-children': ['@parent'],
  'threads get-chain': ['@leaf'],
  'threads read-transcript': ['@leaf'],
  'threads chain-search': ['@leaf', 'red'],
  'threads aggregate-results': ['@leaf'],
  'threads wait-threads': ['@leaf'],
  'threads read-events': ['@leaf'],
  'threads view-runtime': [],
  'threads cancel-thread': ['@cancel-thread'],
  'threads kill-thread': ['@kill-thread'],
  'threads resume-thread': ['@resume-thread', '--limits', 'turns=5'],
  'threads fork-thread': ['@fork', '--at', '3'],
  'threads handoff-thread': ['@steps'],
  'threads suspend-thread': ['@suspend-thread'],
  'threads inspect-thread': ['@parent'],
};

/** They listen until they are interrupted. */
const SERVERS: Readonly<Record<string, readonly string[]>> = {
  ui: [],
  mcp: ['--http'],
  'llm-server': ['answers.yaml'],
};

/** What changes nothing can be asked for once more, as text. */
const ONCE =
  /^(?:run|bench|commit|cancel|resume|fork|approvals (?:grant|deny)|keys init|threads .*(?:cancel|kill|resume|fork|handoff|suspend))/;

describe('Every command', () => {
  test('has a row here, options of its own, a summary and an example or a name that says all', () => {
    expect(COMMANDS.map(({ name }) => name).toSorted()).toEqual(Object.keys({ ...LINES, ...SERVERS }).toSorted());
    expect(COMMANDS.filter(({ options, summary }) => !options['json'] || summary === '')).toEqual([]);
    const unexplained = COMMANDS.filter(({ name, examples }) => examples.length === 0 && !name.startsWith('threads '));
    expect(unexplained).toEqual([]);
  });

  // In the order of the rows: a key is made before items are signed.
  test.each(rowsOf(LINES))(
    'skein %s --json prints JSON, and nothing prints what acts on a terminal',
    async (name, args) => {
      if (name === 'commit-message') stageSomething();
      if (name === 'threads handoff-thread') ids['steps'] = (await runtime.spawn('steps')).id;
      const json = await skein(name, args, ['--json']);
      expect({ ...json, stdout: '' }).toMatchObject({ code: 0 });
      const values = parsed(json);
      expect(values.length).toBeGreaterThan(0);
      expect(values.filter((value) => typeof value !== 'object' || value === null)).toEqual([]);
      const text = ONCE.test(name) ? undefined : await skein(name, args, []);
      for (const printed of [json, ...(text ? [text] : [])]) {
        expect(`${printed.stdout}${printed.stderr}`.replaceAll(/[\n\t]/g, '')).not.toMatch(UNSAFE);
      }
    },
  );

  test.each(rowsOf(SERVERS))('skein %s --json prints JSON when it listens', async (name, args) => {
    const { child, printed, ended } = startSkein([name, ...args, '--json'], around());
    await new Promise<void>((resolve) => {
      child.stdout.on('data', () => printed.stdout.endsWith('\n') && resolve());
      child.once('close', () => resolve());
    });
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.any(Object)]);
  });

  test.each(COMMANDS.map(({ name }) => name))('skein %s --json prints a failure as code and message', async (name) => {
    const { code, stdout, stderr } = await skein(name, [], ['--no-such-option', '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([
      2,
      { error: { code: 'invalid_argument', message: expect.stringContaining(`(see skein ${name} --help)`) } },
    ]);
    expect(stderr).toMatch(/^skein: .*\[invalid_argument\]\n$/);
  });

  test.each<[string, readonly string[], number, string]>([
    ['an unknown command', ['rnu', '--json'], 2, 'invalid_argument'],
    ['no command', ['--json'], 2, 'invalid_argument'],
    ['an unknown thread', ['tree', 'nobody', '--json'], 3, 'thread_not_found'],
    ['an unknown item', ['prompt', 'nobody', '--json'], 3, 'item_not_found'],
    ['a project without a database', ['doctor', '--project', 'home', '--json'], 3, 'store_failed'],
    ['a project that somebody holds', ['gc', '--json'], 3, 'project_locked'],
  ])('%s is a failure as JSON', async (_, args, exitCode, code) => {
    const run = await skeinHere(args, around());
    expect([run.code, JSON.parse(run.stdout)]).toMatchObject([
      exitCode,
      { error: { code, message: expect.any(String) } },
    ]);
  });

  test.each<[readonly string[], string]>([
    [
      ['completion', 'tcsh', '--project', 'X'],
      "Unknown option '--project'; skein completion takes --json, --help (see skein completion --help)",
    ],
    [['list', '--jsno'], "Unknown option '--jsno'; did you mean --json? (see skein list --help)"],
    [
      ['--project', 'X', 'list'],
      'Options stand behind the command, as in skein list --project; "--project" stands before it (see skein --help)',
    ],
    [
      ['--json', 'item', 'list'],
      'Options stand behind the command, as in skein item list --json; "--json" stands before it (see skein --help)',
    ],
    [['--limit=3', 'top'], 'There is no option "--limit=3"; the commands are: '],
    [['list', '--limit', 'x'], '--limit is "x"; a number is expected (see skein list --help)'],
    [['list', '--limit='], '--limit is ""; a number is expected (see skein list --help)'],
    [['list', '--limit', '0'], 'list needs something else: --limit: '],
    [
      ['threads', 'read-events', 'x', '--after', 'y'],
      '--after is "y"; a number is expected (see skein threads read-events --help)',
    ],
    [['threads', 'get-status'], 'threads get-status needs the id of a thread (see skein threads get-status --help)'],
    [['threads', 'chain-search'], 'threads chain-search needs the id of a thread, and a text to look for'],
    [['cancel'], 'cancel needs the id of a thread (see skein cancel --help)'],
    [['completion'], 'completion takes one shell: bash, zsh or fish; given: none'],
    [
      ['completion', 'zsh', 'a\u001b[31m'],
      String.raw`completion takes one shell: bash, zsh or fish; given: "zsh", "a\u001b[31m"`,
    ],
    [['run', 'greet', 'who=Ada'], 'run takes one directive (inputs are --input NAME=VALUE); given: "greet", "who=Ada"'],
    [['list', 'x'], 'list has no use for "x" (see skein list --help)'],
  ])('%j is refused for what is wrong with it', async (args, message) => {
    const { code, stderr } = await skeinHere(args, around());
    expect([code, stderr]).toEqual([2, expect.stringContaining(`skein: ${message}`)]);
  });

  test('what stands behind -- is no wish for JSON', async () => {
    expect(await skeinHere(['item', 'search', '--nope', '--', '--json'], around())).toMatchObject({
      code: 2,
      stdout: '',
    });
  });
});

function rowsOf(lines: typeof LINES): readonly (readonly [string, readonly string[]])[] {
  return Object.entries(lines);
}

function skein(name: string, args: readonly string[], more: readonly string[]): Promise<Finished> {
  const given = args.map((arg) => (arg.startsWith('@') ? (ids[arg.slice(1)] ?? '') : arg));
  return skeinHere([...name.split(' '), ...more, ...given], around());
}

function stageSomething(): void {
  const options = { cwd: join(own.path, 'alone'), env: around().env, stdio: 'pipe' } as const;
  execFileSync('git', ['init', '-q'], options);
  execFileSync('git', ['add', '.ai/directives'], options);
}

/** JSON of each line. */
function parsed({ stdout }: Finished): readonly unknown[] {
  const lines = stdout.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as unknown);
}
