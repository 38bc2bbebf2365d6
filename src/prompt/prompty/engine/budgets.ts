/** What one render may use at most; each has its own error code. */
export interface Budgets {
  /** Tokens of the template that are carried out, and elements and characters that filters look at. */
  readonly steps: number;
  /** UTF-16 units that are written, those of macros and captured blocks included. */
  readonly output: number;
  /** Macros and partials inside one another, and lists and maps inside one another where they are written or compared. */
  readonly nesting: number;
}

/** Those that are asked for; the others are as by default. */
export type AskedBudgets = { readonly [Name in keyof Budgets]?: Budgets[Name] | undefined };

/** Enough for a prompt of any size a model reads; a hostile template ends after some ten milliseconds. */
export const DEFAULT_BUDGETS: Budgets = { steps: 1_000_000, output: 4_194_304, nesting: 64 };

/** UTF-16 units of one template's text, as many as a file of an item may have bytes. */
export const MAX_TEMPLATE_UNITS = 1_048_576;

/** Tokens of one template with everything it includes. */
export const MAX_TOKENS = 100_000;

/** What a token holds in memory once it is compiled, in UTF-16 units of text. */
export const UNITS_PER_TOKEN = 100;

/** Blocks, brackets and operators inside one another, in the text of a template. */
export const MAX_SYNTAX_DEPTH = 100;

/** Statements and operations inside one another, chains and all that is included counted: they are functions that call each other. */
export const MAX_LEVELS = 300;

/** The same while a template is carried out, with those around each macro or partial that is under way. */
export const MAX_LEVELS_UNDER_WAY = 600;
