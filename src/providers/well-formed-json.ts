/**
 * JSON without halves of characters, such as a model or a user may have written: the providers refuse all of a request in which
 * one stands, and so would each further one of its conversation. `JSON.stringify` escapes halves, and no whole character so.
 */
export function wellFormed(json: string): string {
  // An escaped backslash is matched as well: what follows it is no escape.
  return json.includes('\\ud') ? json.replaceAll(/\\\\|\\ud[89a-f][\da-f]{2}/g, replaceHalf) : json;
}

function replaceHalf(escaped: string): string {
  return escaped.length > 2 ? '\ufffd' : escaped;
}
