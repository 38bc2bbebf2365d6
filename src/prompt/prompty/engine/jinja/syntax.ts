import type { Place } from '../place.ts';

/** An expression of Jinja2. `place` is where its operator or first token stands. */
export type Expression = { readonly place: Place } & (
  | { readonly kind: 'constant'; readonly value: string | number | boolean | null }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'member'; readonly of: Expression; readonly key: Expression }
  | { readonly kind: 'slice'; readonly of: Expression; readonly bounds: readonly (Expression | undefined)[] }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [key: Expression, value: Expression])[] }
  | { readonly kind: 'unary'; readonly operator: 'not' | '-' | '+'; readonly of: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'logic'; readonly operator: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'comparison'; readonly first: Expression; readonly rest: readonly Comparison[] }
  | { readonly kind: 'concat'; readonly parts: readonly Expression[] }
  | {
      readonly kind: 'condition';
      readonly test: Expression;
      readonly value: Expression;
      readonly otherwise?: Expression;
    }
  | ({ readonly kind: 'filter' } & Applied)
  | ({ readonly kind: 'test' } & Applied)
  | { readonly kind: 'call'; readonly callee: string; readonly args: Arguments }
);

/** Arithmetic. */
export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**';

/** How two values are compared. */
export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in';

/** One link of a chain such as `1 < x <= 5`. */
export interface Comparison {
  readonly operator: ComparisonOperator;
  readonly right: Expression;
}

/** Arguments in brackets. */
export interface Arguments {
  readonly positional: readonly Expression[];
  readonly named: ReadonlyMap<string, Expression>;
}

/** A filter or a test applied to a value. */
export interface Applied {
  readonly name: string;
  readonly of: Expression;
  readonly args: Arguments;
}

/** What stands between two tags that belong together. */
export interface Body {
  readonly statements: readonly Statement[];
  /** Tokens in it: what carrying it out once costs. */
  readonly weight: number;
}

/** A name with a default. */
export interface Parameter {
  readonly name: string;
  readonly fallback?: Expression;
}

/** A statement of Jinja2. */
export type Statement = { readonly place: Place } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly value: Expression }
  | { readonly kind: 'if'; readonly branches: readonly Branch[]; readonly otherwise?: Body }
  | ({ readonly kind: 'for' } & Loop)
  | { readonly kind: 'set'; readonly targets: readonly string[]; readonly value: Expression }
  | { readonly kind: 'capture'; readonly target: string; readonly body: Body }
  | ({ readonly kind: 'macro' } & MacroSyntax)
  | { readonly kind: 'include'; readonly names: readonly string[]; readonly ignoreMissing: boolean }
  | { readonly kind: 'extends'; readonly name: string }
  | { readonly kind: 'block'; readonly name: string; readonly isScoped: boolean; readonly body: Body }
);

/** One `if` or `elif`. */
export interface Branch {
  readonly test: Expression;
  readonly body: Body;
}

/** `for targets in list if condition`. */
export interface Loop {
  readonly targets: readonly string[];
  readonly list: Expression;
  readonly condition?: Expression;
  /** What one element costs beside the body: the tokens of the condition, and one. */
  readonly weight: number;
  readonly body: Body;
  readonly otherwise?: Body;
}

/** `macro name(parameters)`. */
export interface MacroSyntax {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** Tokens of the tag: what one call costs beside the body. */
  readonly weight: number;
  readonly body: Body;
}
