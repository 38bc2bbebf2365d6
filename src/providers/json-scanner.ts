/** Deepest nesting of a tool call's input: what is deeper is no input of a tool, and recursion over it could fail. */
export const MAX_JSON_DEPTH = 256;

/** Where a scan of one JSON object has come to. */
export type JsonScan = {
  /** It has its end. */
  readonly isComplete: () => boolean;
  /**
   * Reads on. A problem says why this can't become one JSON object; what is inside the brackets is left to the parser.
   */
  readonly push: (piece: string) => JsonProblem | undefined;
};

/** Why a text is not one JSON object. */
export type JsonProblem = 'is not a JSON object' | 'is nested too deeply' | 'goes on after its end';

/** Finds the end of a JSON object that comes in pieces, cut anywhere: each character is looked at once. */
export function createJsonScan(): JsonScan {
  let depth = 0;
  let state: 'before' | 'open' | 'string' | 'escape' | 'after' = 'before';

  const step = (code: number): JsonProblem | undefined => {
    switch (state) {
      case 'escape':
        state = 'string';
        return undefined;
      case 'string':
        if (code === QUOTE) state = 'open';
        else if (code === BACKSLASH) state = 'escape';
        return undefined;
      case 'open':
        if (code === QUOTE) state = 'string';
        else if (code === BRACE || code === BRACKET)
          return ++depth > MAX_JSON_DEPTH ? 'is nested too deeply' : undefined;
        else if ((code === BRACE_END || code === BRACKET_END) && --depth === 0) state = 'after';
        return undefined;
      case 'before':
        if (isSpace(code)) return undefined;
        if (code !== BRACE) return 'is not a JSON object';
        depth = 1;
        state = 'open';
        return undefined;
      case 'after':
        return isSpace(code) ? undefined : 'goes on after its end';
    }
  };

  return {
    isComplete: () => state === 'after',
    push(piece) {
      for (let at = 0; at < piece.length; at++) {
        const problem = step(piece.charCodeAt(at));
        if (problem) return problem;
      }
      return undefined;
    },
  };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;
const BRACE_END = 0x7d;
const BRACKET = 0x5b;
const BRACKET_END = 0x5d;

/** White space as JSON has it. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
