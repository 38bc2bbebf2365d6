import { syntaxError, type Place } from '../place.ts';
import type { Run } from '../run.ts';
import { isTrue } from '../truth.ts';
import { bindArguments } from './bind-arguments.ts';
import { compiled, type Compiled, type Eval } from './compiled.ts';
import { sequenceOf, type Filter } from './filter.ts';
import { filterNamed, filterNames } from './filters.ts';
import { memberReader } from './list-filters.ts';
import type { Applied, Arguments, Expression } from './syntax.ts';
import { takesArgument, testNames, valueTest } from './value-tests.ts';

type Compile = (part: Expression) => Compiled;
type Site = Applied & { readonly place: Place };
/** Something done to one value, its arguments already known. */
type Apply = (value: unknown, run: Run) => unknown;
/** Compiles what is done, and its arguments. */
type Prepare = (site: Site, compile: Compile) => (run: Run) => Apply;

/** Compiles `value|name(arguments)`. @throws ValueError `template_syntax` if there is no such filter */
export function compileFilter(site: Site, compile: Compile): Compiled {
  return applied(site, compile, HIGHER.get(site.name) ?? prepareFilter);
}

/** Compiles `value is name(arguments)`. @throws ValueError `template_syntax` if there is no such test */
export function compileTest(site: Site, compile: Compile): Compiled {
  return applied(site, compile, prepareTest);
}

/** Literal if all that is compiled for it is: the value and, once each, its arguments. */
function applied(site: Site, compile: Compile, prepare: Prepare): Compiled {
  let isLiteral = true;
  const part: Compile = (expression) => {
    const ready = compile(expression);
    isLiteral &&= ready.isLiteral;
    return ready;
  };
  const { value } = part(site.of);
  const start = prepare(site, part);
  return compiled(applying(value, start, site.place), isLiteral);
}

function applying(value: Eval, start: (run: Run) => Apply, place: Place): Eval {
  return (run) => {
    const input = value(run);
    const apply = start(run);
    run.place = place;
    return apply(input, run);
  };
}

const NONE: readonly unknown[] = [];

function prepareFilter({ name, args, place }: Site, compile: Compile): (run: Run) => Apply {
  const filter = filterNamed(name);
  if (filter === undefined) {
    const known = [...filterNames(), ...HIGHER.keys()].join(', ');
    throw syntaxError(place, `The filter ${JSON.stringify(name)} is not supported; there are ${known}`);
  }
  const values = bindArguments(args, { what: `The filter ${name}`, parameters: filter.parameters, place }).map(
    (argument): Eval => (argument === undefined ? () => undefined : compile(argument).value),
  );
  return withArguments(filter, values);
}

function withArguments({ apply }: Filter, values: readonly Eval[]): (run: Run) => Apply {
  if (values.length === 0) {
    const plain: Apply = (value, run) => apply(value, NONE, run);
    return () => plain;
  }
  return (run) => {
    const given = values.map((value) => value(run));
    return (value) => apply(value, given, run);
  };
}

function prepareTest({ name, args, place }: Site, compile: Compile): (run: Run) => Apply {
  const test = valueTest(name);
  if (test === undefined) {
    throw syntaxError(place, `The test ${JSON.stringify(name)} is not supported; there are ${testNames().join(', ')}`);
  }
  const parameters = takesArgument(name) ? ['argument'] : [];
  const [only] = bindArguments(args, { what: `The test ${name}`, parameters, place });
  if (only === undefined && takesArgument(name)) throw syntaxError(place, `The test ${name} needs an argument`);
  const argument: Eval = only === undefined ? () => undefined : compile(only).value;
  return (run) => {
    const given = argument(run);
    return (value) => test(value, given, run);
  };
}

/** Filters that carry another filter or test to each element. */
const HIGHER: ReadonlyMap<string, Prepare> = new Map<string, Prepare>([
  ['map', prepareMap],
  ['select', picking(true, false)],
  ['reject', picking(false, false)],
  ['selectattr', picking(true, true)],
  ['rejectattr', picking(false, true)],
]);

function prepareMap(site: Site, compile: Compile): (run: Run) => Apply {
  const { args, place } = site;
  if (args.positional.length > 0) return onElements(prepareFilter(named(site, args.positional), compile));
  const [attribute, fallback] = bindArguments(args, { what: 'map', parameters: ['attribute', 'default'], place });
  if (attribute === undefined) throw syntaxError(place, 'map needs the name of a filter, or attribute=');
  const [path, otherwise] = [compile(attribute).value, fallback && compile(fallback).value];
  return onElements((run) => {
    // Null is a value; as a default it is none.
    const [member, missing] = [memberReader(path(run), run), otherwise?.(run) ?? undefined];
    return (element) => {
      const value = member(element);
      return value === undefined ? missing : value;
    };
  });
}

function onElements(prepare: (run: Run) => Apply): (run: Run) => Apply {
  return (run) => {
    const apply = prepare(run);
    return (value) => sequenceOf(value, run).map((element) => apply(element, run));
  };
}

function picking(wanted: boolean, byAttribute: boolean): Prepare {
  return (site, compile) => {
    const [attribute, rest] = byAttribute ? splitAttribute(site, compile) : [undefined, site.args.positional];
    const prepare = rest.length === 0 ? () => isTrue : prepareTest(named(site, rest), compile);
    return (run) => {
      const [holds, member] = [prepare(run), memberReader(attribute?.(run), run)];
      return (value) => sequenceOf(value, run).filter((element) => Boolean(holds(member(element), run)) === wanted);
    };
  };
}

function splitAttribute({ args, name, place }: Site, compile: Compile): readonly [Eval, readonly Expression[]] {
  const [attribute, ...rest] = args.positional;
  if (attribute === undefined) throw syntaxError(place, `${name} needs the name of an attribute`);
  return [compile(attribute).value, rest];
}

/** The filter or test whose name is the first of these arguments, the others being its own. */
function named(site: Site, [name, ...positional]: readonly Expression[]): Site {
  if (name?.kind !== 'constant' || typeof name.value !== 'string') {
    throw syntaxError(site.place, `${site.name} needs the name of a filter or test as a string`);
  }
  const args: Arguments = { positional, named: site.args.named };
  return { ...site, name: name.value, args };
}
