import { UNITS_PER_TOKEN } from '../budgets.ts';
import type { Place } from '../place.ts';
import { Run } from '../run.ts';
import type { CompiledTemplate } from '../template.ts';
import { compileRoot } from './compile-statement.ts';
import type { Exec } from './compiled.ts';
import { parseTemplate } from './parse-template.ts';
import { Layout, Scope } from './scope.ts';
import { jinjaSource, Unit } from './unit.ts';

/** Compiles a Jinja2 template into closures. @throws ValueError `template_syntax`, `template_too_large`, `template_nesting_exceeded` */
export function compileJinja(text: string, registry: ReadonlyMap<string, string> | undefined): CompiledTemplate {
  const source = jinjaSource({ text });
  const body = parseTemplate(source);
  const layout = new Layout();
  const unit = Unit.root(registry);
  const write = compileRoot(body, new Scope({ unit, layout }));
  const units = text.length + UNITS_PER_TOKEN * unit.session.tokens;
  return { units, render: renderer({ begin: { source, at: 0 }, weight: body.weight, slots: layout.size, write }) };
}

/** What is left of a template once it is compiled: what it was compiled from would be most of its memory. */
interface Rendering {
  readonly begin: Place;
  readonly weight: number;
  readonly slots: number;
  readonly write: Exec;
}

function renderer({ begin, weight, slots, write }: Rendering): CompiledTemplate['render'] {
  return (inputs, options) => {
    const run = new Run(inputs, slots, options);
    run.place = begin;
    run.spend(weight);
    write(run);
    return run.finish();
  };
}
