import { usageOf, type Command } from './command.ts';
import type { CommandGroup } from './commands.ts';
import { EXIT_CODES } from './exit-code.ts';
import type { Options } from './options.ts';
import { tableLines, wrap } from './text-table.ts';

/** What `skein --help` prints for a terminal of so many columns. */
export function mainHelp(groups: readonly CommandGroup[], columns: number): string {
  const lines = [
    'skein - runs directives as LLM threads, inside their limits and budget',
    '',
    'Examples',
    ...tableLines(FIRST_STEPS, columns),
    ...groups.flatMap((group) => ['', group.title, ...groupLines(group, columns)]),
    '',
    ...wrap(
      'skein COMMAND --help has the options of a command and examples. --json makes any of them print JSON.',
      columns,
    ),
    '',
    ...wrap(STREAMS, columns),
    '',
    ...exitCodeLines(columns),
  ];
  return text(lines);
}

/** What `skein COMMAND --help` prints. */
export function commandHelp(command: Command, columns: number): string {
  const { summary, examples, notes, options } = command;
  const lines = [
    usageOf(command),
    '',
    ...wrap(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`, columns),
    '',
    'Options',
    ...tableLines(optionRows(options), columns),
    ...(examples.length === 0 ? [] : ['', 'Examples', ...tableLines(examples, columns)]),
    ...(notes === undefined ? [] : ['', ...wrap(notes.replaceAll('\n', ' '), columns)]),
    '',
    ...wrap(
      `Exit codes: ${EXIT_CODES.map(({ code, name }) => `${code} ${name}`).join(', ')} (see skein --help)`,
      columns,
    ),
  ];
  return text(lines);
}

/** What `skein item --help` prints of the commands that begin with a word. */
export function groupHelp(commands: readonly Command[], columns: number): string {
  return text([...tableLines(commandRows(commands), columns), '', 'Each of them has --help.']);
}

/** The commands with their options and examples, for programs. */
export function helpJson(commands: readonly Command[]): object {
  return {
    commands: commands.map(({ name, takes, summary, options, examples, notes = null }) => {
      const given = Object.entries(options).map(([option, { value = null, multiple = false, about }]) => {
        return { name: `--${option}`, value, multiple, about };
      });
      return {
        name,
        takes,
        summary,
        options: given,
        examples: examples.map(([line, does]) => ({ line, does })),
        notes,
      };
    }),
    exit_codes: EXIT_CODES.map(({ code, name, about }) => ({ code, name, about })),
  };
}

const FIRST_STEPS: Command['examples'] = [
  [
    'skein run hello --input who=Ada',
    'run .ai/directives/hello.md; its outputs are printed, its progress goes to stderr',
  ],
  ['skein prompt hello --input who=Ada', 'only look at what its model would be told'],
  ['skein top', 'what runs, how fast, and what it costs; in another terminal'],
  ['skein list --status suspended', 'threads that wait for somebody'],
  ['skein tree ID', 'what a thread has started, and what each of them has come to'],
  ['skein tail ID', 'follow a thread while it runs'],
  ["skein resume ID --message 'go on'", 'go on with one that is suspended'],
  ['eval "$(skein completion bash)"', 'complete commands and options'],
];

const STREAMS =
  'Results go to stdout; progress and errors go to stderr: a live tree on a terminal, else one line for each change of ' +
  'state. NO_COLOR is honoured. Ctrl-C or SIGTERM lets threads end for two seconds and suspends the rest; a second one ' +
  'stops at once.';

function groupLines({ commands, inBrief = false }: CommandGroup, columns: number): readonly string[] {
  if (!inBrief) return tableLines(commandRows(commands), columns);
  const [first] = commands;
  const group = first?.name.split(' ')[0] ?? '';
  const names = commands.map(({ name }) => name.slice(group.length + 1));
  return tableLines([[`skein ${group} NAME`, names.join(', ')]], columns);
}

function commandRows(commands: readonly Command[]): readonly (readonly [string, string])[] {
  return commands.map(({ name, takes, summary }) => [`skein ${name}${takes === '' ? '' : ` ${takes}`}`, summary]);
}

function optionRows(options: Options): readonly (readonly [string, string])[] {
  const rows = Object.entries(options).map(([name, { value, bare, about }]) => {
    const shown = bare === undefined ? ` ${value}` : `[=${value}]`;
    return [`--${name}${value === undefined ? '' : shown}`, about] as const;
  });
  return [...rows, ['--help', 'this text']];
}

function exitCodeLines(columns: number): readonly string[] {
  return [
    'Exit codes',
    ...tableLines(
      EXIT_CODES.map(({ code, about }) => [String(code), about]),
      columns,
    ),
  ];
}

function text(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
