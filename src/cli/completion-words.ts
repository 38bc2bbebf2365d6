import type { Command } from './command.ts';
import { choicesOf, type Option } from './options.ts';

/** What stands at a place of a command line: after no word, after `item`, after `item list`. */
export type CompletionPlace = {
  /** The words up to here. */
  readonly at: string;
  /** The next words of commands, with what they are for. */
  readonly words: readonly (readonly [word: string, about: string])[];
  /** What the command that is named by now takes beside options; undefined where more words are to come. */
  readonly takes: Taken | undefined;
  /** Of the command that is named by now. */
  readonly options: readonly (readonly [option: string, facts: Option])[];
};

/** What a command takes beside options: some words, one of them or any number, or files; anything else is not known here. */
export type Taken =
  | { readonly kind: 'choice'; readonly choices: readonly string[]; readonly isMany: boolean }
  | { readonly kind: 'file' | 'any' };

const HELP: Option = { type: 'boolean', about: 'how it is used' };

/** Every place where words of commands end, the beginning first. */
export function completionPlaces(commands: readonly Command[]): readonly CompletionPlace[] {
  const places = new Set(commands.flatMap(({ name }) => beginningsOf(name)));
  return [...places].map((at) => {
    const command = commands.find(({ name }) => name === at);
    const options = command ? Object.entries(command.options) : [];
    const takes = command && takenBy(command);
    return { at, words: wordsAfter(at, commands), takes, options: [...options, ['help', HELP] as const] };
  });
}

function beginningsOf(name: string): readonly string[] {
  const words = name.split(' ');
  return ['', ...words.map((_, at) => words.slice(0, at + 1).join(' '))];
}

function takenBy({ takes, words }: Command): Taken {
  const spelled = takes.replaceAll(/[[\].]/g, '').split('|');
  const choices = words ?? (spelled.length > 1 ? spelled.filter((word) => /^[a-z]/.test(word)) : []);
  if (choices.length > 0) return { kind: 'choice', choices, isMany: takes.includes('...') };
  return { kind: takes.includes('FILE') ? 'file' : 'any' };
}

function wordsAfter(at: string, commands: readonly Command[]): CompletionPlace['words'] {
  const begun = commands.filter(({ name }) => at === '' || name.startsWith(`${at} `));
  const words = begun.map(({ name, summary }) => {
    const [word = '', ...more] = name.slice(at === '' ? 0 : at.length + 1).split(' ');
    return [word, more.length === 0 ? summary : `${word} …`] as const;
  });
  return [...new Map(words)];
}

/** What the value of an option is: one of some words, a folder, a file, or anything. */
export type ValueKind =
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'folder' | 'file' | 'any' };

/** By what its value is called. */
export function valueKind(option: Option): ValueKind | undefined {
  // One that needs no value is complete without.
  if (option.value === undefined || option.bare !== undefined) return undefined;
  const choices = choicesOf(option);
  if (choices.length > 0) return { kind: 'choice', choices };
  if (option.value === 'FOLDER') return { kind: 'folder' };
  return { kind: option.value.endsWith('FILE') ? 'file' : 'any' };
}

/** A text in single quotes, as shells read it. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
