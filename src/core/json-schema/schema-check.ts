/** Something in the input that does not fit. `path` is `a.b[0]`, empty for the whole input. */
export type SchemaIssue = { readonly path: string; readonly message: string };

/** One run over one input: what was found, how much work is still allowed and how deep it is nested now. */
export type CheckRun = { readonly issues: SchemaIssue[]; stepsLeft: number; depth: number };

/** A compiled piece of a schema: adds to `run.issues` what does not fit. */
export type SchemaCheck = (value: unknown, path: string, run: CheckRun) => void;

/** Says whether a pattern is found in a text; what that takes counts as steps of the run. */
export type SchemaPattern = (text: string, run: CheckRun) => boolean;

/** What a keyword needs to compile itself. */
export type KeywordPlace = {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly pointer: string;
  /** Compiles a subschema. */
  compile(schema: unknown, pointer: string): SchemaCheck;
  /**
   * Compiles a pattern.
   *
   * @throws SkeinError `invalid_item` for bad syntax, look-around or backreferences, and where it is too much.
   */
  pattern(source: unknown, pointer: string): SchemaPattern;
};

/** Compiles one keyword; undefined when it constrains nothing here (e.g. its neighbour does the work). */
export type Keyword = (argument: unknown, place: KeywordPlace) => SchemaCheck | undefined;
