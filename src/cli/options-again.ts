import { shellQuoted } from './completion-words.ts';
import { printable } from './printable.ts';

/** What a command was given that one that follows it needs as well. */
export type GivenHere = {
  /** Absolute path of the project's root. */
  readonly project: string;
  /** `NAME=FILE` of each script of the scripted model, as it was written. */
  readonly scriptFiles?: readonly string[];
};

/** Options of a command that follows, with a space before each, as a shell reads them: to look at threads, and to let one go on. */
export type OptionsAgain = { readonly look: string; readonly act: string };

/** What has to be said again by who works in `cwd`. */
export function optionsAgain({ project, scriptFiles = [] }: GivenHere, cwd: string): OptionsAgain {
  const look = project === cwd ? '' : option('project', project);
  return { look, act: look + scriptFiles.map((file) => option('script', file)).join('') };
}

function option(name: string, value: string): string {
  return ` --${name} ${printable(/^[\w@%+=:,./-]+$/.test(value) ? value : shellQuoted(value))}`;
}
