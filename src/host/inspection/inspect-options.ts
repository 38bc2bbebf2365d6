import { SkeinError } from '../../core/errors.ts';
import { checkOptionNames } from '../handle/option-names.ts';

/** Which threads somebody looks at. Without `threads`, `subtrees` and `directives` it is all of them. */
export type InspectChoice = {
  /** These, by their ids. */
  readonly threads?: readonly string[] | undefined;
  /** These, those that go on from them (after a hand-over, or resumed when they had ended), and everything below them. */
  readonly subtrees?: readonly string[] | undefined;
  /** Those on these directives; `*` stands for any run of characters. */
  readonly directives?: readonly string[] | undefined;
  /** Of those, the share that is looked at, more than 0 and up to 1: of trees, each as a whole, or what `sampleOf` says. Default 1. */
  readonly sample?: number | undefined;
  /**
   * `roots`: a root is in the sample with everything below it, or not at all. `children`: every root is in it, and each child of a
   * root with everything below that, or not at all; for few trees that are large. Default `roots`.
   */
  readonly sampleOf?: 'roots' | 'children' | undefined;
};

/** How a runtime can be looked into with Stately's inspector (docs/inspecting.md). */
export type InspectOptions = InspectChoice & {
  /** Port on 127.0.0.1. Default: any that is free. */
  readonly port?: number | undefined;
  /**
   * Serves a page on this machine that has Stately's hosted inspector (https://stately.ai/inspect) in it, and hands it what
   * is looked at: names of threads and directives, states, counts, and the machines' events. Default false.
   */
  readonly stately?: boolean | undefined;
};

const CHOICE_NAMES: Readonly<Record<keyof InspectChoice, true>> = {
  threads: true,
  subtrees: true,
  directives: true,
  sample: true,
  sampleOf: true,
};

/** Refuses options that mean nothing. @throws SkeinError `invalid_argument` */
export function checkInspectOptions(options: InspectOptions): void {
  checkOptionNames('createRuntime inspect', options, { ...CHOICE_NAMES, port: true, stately: true });
  const { port = 0, stately = false, ...choice } = options;
  checkInspectChoice(choice);
  if (!(Number.isInteger(port) && port >= 0 && port <= 65_535)) throw wrong('port', port, 'a number up to 65535');
  if (typeof stately !== 'boolean') throw wrong('stately', stately, 'true or false');
}

/** The same for a choice alone. @throws SkeinError `invalid_argument` */
export function checkInspectChoice(choice: InspectChoice): void {
  checkOptionNames('inspect', choice, CHOICE_NAMES);
  const { sample = 1, sampleOf = 'roots', ...lists } = choice;
  for (const [name, list] of Object.entries(lists)) {
    const isList = Array.isArray(list) && list.every((each) => typeof each === 'string');
    if (list !== undefined && !isList) throw wrong(name, list, 'a list of texts');
  }
  if (!['roots', 'children'].includes(sampleOf)) throw wrong('sampleOf', sampleOf, '"roots" or "children"');
  if (typeof sample === 'number' && sample > 0 && sample <= 1) return;
  throw wrong('sample', sample, 'a number above 0 and up to 1');
}

function wrong(name: string, given: unknown, expected: string): SkeinError {
  return new SkeinError('invalid_argument', `inspect.${name} is ${JSON.stringify(given)}; ${expected} is expected`);
}
