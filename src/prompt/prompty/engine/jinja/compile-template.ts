import { UNITS_PER_TOKEN } from '../budgets.ts';
import { Run } from '../run.ts';
import type { CompiledTemplate } from '../template.ts';
import { compileRoot } from './compile-statement.ts';
import { parseTemplate } from './parse-template.ts';
import { Layout, Scope } from './scope.ts';
import { jinjaText, Unit } from './unit.ts';

/** Compiles a Jinja2 template into closures. @throws ValueError `template_syntax`, `template_too_large`, `template_nesting_exceeded` */
export function compileJinja(text: string, registry: ReadonlyMap<string, string> | undefined): CompiledTemplate {
  const source = { text: jinjaText(text) };
  const body = parseTemplate(source);
  const layout = new Layout();
  const unit = Unit.root(registry);
  const write = compileRoot(body, new Scope({ unit, layout }));
  const begin = { source, at: 0 };
  return {
    units: text.length + UNITS_PER_TOKEN * unit.session.tokens,
    render(inputs, options) {
      const run = new Run(inputs, layout.size, options);
      run.place = begin;
      run.spend(body.weight);
      write(run);
      return run.finish();
    },
  };
}
