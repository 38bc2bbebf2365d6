import { MAX_SYNTAX_DEPTH } from '../budgets.ts';
import { errorAt, syntaxError, type Place, type Source } from '../place.ts';
import type { Token, TokenKind } from './tokens.ts';

/** Reads tokens one after the other and knows how deep the syntax is nested. Owned by one parse. */
export class TokenReader {
  readonly source: Source;
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(source: Source, tokens: readonly Token[]) {
    this.source = source;
    this.#tokens = tokens;
  }

  /** Index of the next token. */
  get position(): number {
    return this.#next;
  }

  get next(): Token {
    return this.peek(0);
  }

  peek(ahead: number): Token {
    // The last token is `eof` and is never passed.
    return this.#tokens[Math.min(this.#next + ahead, this.#tokens.length - 1)] ?? { kind: 'eof', value: '', at: 0 };
  }

  place(token: Token = this.next): Place {
    return { source: this.source, at: token.at };
  }

  take(): Token {
    const token = this.next;
    this.#next += 1;
    return token;
  }

  is(kind: TokenKind, value?: string): boolean {
    const { next } = this;
    return next.kind === kind && (value === undefined || next.value === value);
  }

  /** Takes the next token if it is this one. */
  skip(kind: TokenKind, value: string): boolean {
    const isThere = this.is(kind, value);
    if (isThere) this.#next += 1;
    return isThere;
  }

  expect(kind: TokenKind, value?: string): Token {
    if (!this.is(kind, value)) throw this.unexpected(value ?? `a ${kind}`);
    return this.take();
  }

  unexpected(wanted: string): Error {
    const { kind, value } = this.next;
    const found = kind === 'text' ? 'text' : JSON.stringify(value);
    return syntaxError(this.place(), `Expected ${wanted}, found ${kind === 'eof' ? value : found}`);
  }

  notSupported(what: string, token: Token = this.next): Error {
    return syntaxError(this.place(token), `${what} is not supported`);
  }

  /** Reads something that stands inside what is being read. */
  deeper<Read>(read: () => Read): Read {
    this.#depth += 1;
    if (this.#depth > MAX_SYNTAX_DEPTH) {
      throw errorAt('template_nesting_exceeded', this.place(), 'The template is nested too deep');
    }
    const result = read();
    this.#depth -= 1;
    return result;
  }

  /** Refuses a chain of so many operators that it is as deep as a nest of brackets. */
  checkChain(length: number): void {
    if (length <= MAX_SYNTAX_DEPTH) return;
    throw errorAt('template_nesting_exceeded', this.place(), 'An expression has too many operators');
  }
}
