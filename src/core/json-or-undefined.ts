/** What a text says as JSON; undefined if it is none, which no JSON means: whoever asks says what that is to the caller. */
export function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON.
    return undefined;
  }
}
