import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../src/cli/commands.ts';
import { project, type Project } from './fixtures/scene.ts';
import { skeinHere } from './fixtures/skein-command.ts';

const ZSH_OFFERS = join(import.meta.dirname, 'fixtures', 'zsh-offers.zsh');
const SHELLS = ['bash', 'zsh', 'fish'] as const;

let own: Project;
beforeAll(async () => {
  own = project();
  mkdirSync(join(own.path, 'home'));
  own.write('hangs.yaml', 'rules: []');
  for (const shell of SHELLS) {
    const { stdout } = await skeinHere(['completion', shell], { cwd: own.path, env: environment() });
    own.write(`skein.${shell}`, stdout);
  }
});
afterAll(() => own[Symbol.dispose]());

function environment(): Readonly<Record<string, string | undefined>> {
  return { PATH: process.env['PATH'], HOME: join(own.path, 'home'), TERM: 'dumb' };
}

type Row = readonly [what: string, line: string, expected: readonly string[]];

const WORDS: readonly Row[] = [
  ['the first word', 'tr', ['transcript', 'tree']],
  ['a command of a group', 'item s', ['search', 'show']],
  ['an option after a word', 'run hello --mo', ['--model']],
  ['an option after a command', 'run --mo', ['--model']],
  ['an option after others', 'run --model x --rec', ['--record']],
  ['the words of an option', 'item list --kind d', ['directive']],
  [
    'the words of an option with all of them',
    'approvals list --status ',
    ['pending', 'granted', 'denied', 'cancelled', 'all'],
  ],
  ['the words of an option behind =', 'machine --format=s', ['svg']],
  ['all words of an option behind =', 'machine --format=', ['ascii', 'mermaid', 'svg', 'json']],
  ['what may be joined to an option', 'run --inspect=s', ['stately']],
  ['nothing that must be joined', 'run --inspect s', []],
  ['nothing that is unknown', 'nobody --j', []],
  ['an option of a thread operation', 'threads get-status --js', ['--json']],
  ['the words of a command', 'machine th', ['thread']],
  ['each of several words', 'bench spawn sc', ['scale']],
  ['the names of config files', 'config show res', ['resilience']],
];

/** What a shell adds by itself. */
const FILES: readonly Row[] = [
  ['the folder that an option takes', 'item list --json --project ho', ['home']],
  ['the file that a command takes', 'render hang', ['hangs.yaml']],
  ['no file for a value that is none', 'run hello --model hang', []],
  ['no file where ids are taken', 'tree hang', []],
  ['no file for a command', 'hang', []],
];

/** What bash is told of files, whose names it finds by itself. */
const FILES_IN_BASH: readonly Row[] = [
  ['the folder that an option takes', 'item list --json --project ho', ['compopt -o dirnames +o default']],
  ['the file that a command takes', 'render hang', []],
  ['no file for a value that is none', 'run hello --model hang', ['compopt +o default']],
  ['no file where ids are taken', 'tree hang', ['compopt +o default']],
  ['no file for a command', 'hang', ['compopt +o default']],
];

const IN_BASH = ['--norc', '-c'];
/** Arguments that have each shell print what completes a line; bash prints what it is told to do about files, too. */
const PROBES: Readonly<Record<(typeof SHELLS)[number], (line: string) => readonly string[]>> = {
  bash: (line) => [...IN_BASH, `source skein.bash; ${bashProbe(line)}`],
  zsh: (line) => ['-f', ZSH_OFFERS, 'skein.zsh', `skein ${line}`],
  fish: (line) => ['--no-config', '-c', `source skein.fish; complete -C 'skein ${line}'`],
};

/** Bash takes = for a word of its own. */
function bashProbe(line: string): string {
  const words = ['skein', ...line.split(' ').flatMap((word) => word.split(/(=)/))].filter(
    (word, at, all) => word !== '' || (at === all.length - 1 && all[at - 1] !== '='),
  );
  return `compopt() { printf 'compopt %s\\n' "$*"; }
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
_skein; printf '%s\\n' "\${COMPREPLY[@]}"`;
}

const TRIED = SHELLS.map((shell) => {
  const isHere = spawnSync(shell, ['-c', 'true']).error === undefined;
  return { shell, isHere, note: isHere ? '' : ' (not tried: this shell is not installed here)' };
});

describe.each(TRIED)('skein completion $shell$note', ({ shell, isHere }) => {
  const offers = (line: string): readonly string[] => {
    const { stdout, stderr, status } = spawnSync(shell, PROBES[shell](line), {
      cwd: own.path,
      env: environment(),
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    // Fish says what a word is for, and repeats what stands before =; a folder may end in /.
    const words = stdout.split('\n').map((offer) => offer.replace(/\t.*$/, '').replace(/^--[^=]*=|\/$/, ''));
    return [...new Set(words)].filter((word) => word !== '').toSorted();
  };

  test.skipIf(!isHere).each(WORDS)('completes %s: skein %s', (_, line, expected) => {
    expect(offers(line).filter((word) => !word.startsWith('compopt '))).toEqual(expected.toSorted());
  });

  test.skipIf(!isHere).each(shell === 'bash' ? FILES_IN_BASH : FILES)('completes %s: skein %s', (_, line, expected) => {
    expect(offers(line)).toEqual(expected);
  });

  test('has every command and option', async () => {
    const { stdout } = await skeinHere(['completion', shell], { cwd: own.path, env: environment() });
    const words = COMMANDS.flatMap(({ name, options }) => [...name.split(' '), ...Object.keys(options)]);
    const said = new Set(stdout.match(/[\w-]+/g)?.map((word) => word.replace(/^--/, '')));
    expect([...new Set(words)].filter((word) => !said.has(word))).toEqual([]);
  });
});
