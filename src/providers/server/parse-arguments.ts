/** A tool call's input as a model sent it. The API takes any text; what is no JSON object counts as none. */
export function parseArguments(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json);
    // An object that is neither null nor a list.
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    return {};
  }
  return {};
}
