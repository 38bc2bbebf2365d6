/** An option of a command: how `parseArgs` of node:util reads it, and what help and completion say of it. */
export type Option = {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
  /** What its value is called, as in `FOLDER`; `one|other` if it is one of these words; absent for a flag. */
  readonly value?: string;
  /** Its value where it is given without one; another one is joined to it, as in `--name=value`. */
  readonly bare?: string;
  readonly about: string;
};

/** The options of a command by their names. */
export type Options = Readonly<Record<string, Option>>;

type Flag = { readonly type: 'boolean'; readonly about: string };
type Valued = { readonly type: 'string'; readonly value: string; readonly about: string };
type Repeated = Valued & { readonly multiple: true };

/** An option without a value. */
export function flag(about: string): Flag {
  return { type: 'boolean', about };
}

/** An option with a value. */
export function valued(value: string, about: string): Valued {
  return { type: 'string', value, about };
}

/** An option that is `bare` without a value, and has another one behind `=`. */
export function joined(value: string, bare: string, about: string): Valued & { readonly bare: string } {
  return { type: 'string', value, bare, about };
}

/** An option that is given once for each of its values. */
export function repeated(value: string, about: string): Repeated {
  return { type: 'string', multiple: true, value, about: `${about}; once for each` };
}

/** The words that an option's value is one of; empty if it is not that kind of option. */
export function choicesOf({ value = '' }: Option): readonly string[] {
  return value.includes('|') ? value.split('|') : [];
}

/** What nearly every command takes. */
export const COMMON = {
  project: valued('FOLDER', 'root of the project, whose .ai folder has its items and its log (default: here)'),
  json: flag('print one line of JSON'),
} as const;

/** The same where a line is printed for each of several things. */
export const COMMON_LINES = { ...COMMON, json: flag('print a line of JSON for each') } as const;

/** What a command takes that may have to start a runtime. */
export const HERE = {
  script: repeated('NAME=FILE', 'a script for the scripted model, which is then called scripted:NAME'),
  workers: valued(
    'N',
    'thread workers of the runtime that is started, at most 256 (default: one less than the processors)',
  ),
} as const;

/** What a command takes that renders a directive. */
export const RENDERING = {
  input: repeated('NAME=VALUE', 'an input of the directive'),
  model: valued('MODEL', 'provider:model, a model id or a tier (default: what the directive says)'),
} as const;

/** Which events are meant. */
export const TYPES = valued('NAME,NAME', 'events of these types alone, as in cognition_out,tool_call_start');
