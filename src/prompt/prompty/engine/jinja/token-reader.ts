import { MAX_SYNTAX_DEPTH } from '../budgets.ts';
import { errorAt, syntaxError, type Place, type Source } from '../place.ts';
import type { Token, TokenKind } from './tokens.ts';

/** Reads tokens one after the other and knows how deep the syntax is nested. Owned by one parse. */
export class TokenReader {
  readonly source: Source;
  readonly #tokens: readonly Token[];
  #position = 0;
  #next: Token;
  #depth = 0;

  constructor(source: Source, tokens: readonly Token[]) {
    this.source = source;
    this.#tokens = tokens;
    this.#next = this.peek(0);
  }

  /** Index of the next token. */
  get position(): number {
    return this.#position;
  }

  get next(): Token {
    return this.#next;
  }

  peek(ahead: number): Token {
    // The last token is `eof` and is never passed.
    const at = Math.min(this.#position + ahead, this.#tokens.length - 1);
    return this.#tokens[at] ?? { kind: 'eof', value: '', at: 0, source: this.source };
  }

  /** Where the next token stands. */
  get place(): Place {
    return this.#next;
  }

  take(): Token {
    const token = this.#next;
    this.#position += 1;
    this.#next = this.peek(0);
    return token;
  }

  is(kind: TokenKind, value?: string): boolean {
    const next = this.#next;
    return next.kind === kind && (value === undefined || next.value === value);
  }

  /** Takes the next token if it is this one. */
  skip(kind: TokenKind, value: string): boolean {
    const isThere = this.is(kind, value);
    if (isThere) this.take();
    return isThere;
  }

  expect(kind: TokenKind, value?: string): Token {
    if (!this.is(kind, value)) throw this.unexpected(value ?? `a ${kind}`);
    return this.take();
  }

  unexpected(wanted: string): Error {
    const { kind, value } = this.next;
    const found = kind === 'text' ? 'text' : JSON.stringify(value);
    return syntaxError(this.place, `Expected ${wanted}, found ${kind === 'eof' ? value : found}`);
  }

  notSupported(what: string, token: Token = this.next): Error {
    return syntaxError(token, `${what} is not supported`);
  }

  /** Begins something that stands inside what is being read. */
  enter(): void {
    this.#depth += 1;
    if (this.#depth > MAX_SYNTAX_DEPTH) {
      throw errorAt('template_nesting_exceeded', this.#next, 'The template is nested too deep');
    }
  }

  leave(): void {
    this.#depth -= 1;
  }

  /** Refuses a chain of so many operators that it is as deep as a nest of brackets. */
  checkChain(length: number): void {
    if (length <= MAX_SYNTAX_DEPTH) return;
    throw errorAt('template_nesting_exceeded', this.place, 'An expression has too many operators');
  }
}
