import { startOf } from '../core/cut-text.ts';
import { messageOf } from '../core/errors.ts';
import { failureStart, type ToolOutcome } from '../core/tool.ts';

/** Longest text a model gets of one result. */
export const MAX_CHARS = 100_000;

/**
 * A tool's outcome as text for the model: strings as they are, everything else as JSON, a failure as
 * `error [code]: message`. Longer than 100,000 characters, it is cut and says so at the end.
 */
export function renderOutcome(outcome: ToolOutcome): string {
  const given = outcome.ok ? valueText(outcome.value) : failureStart(outcome.failure.code) + outcome.failure.message;
  // Half a character, which a cut may leave, makes providers refuse every later request.
  const text = given.toWellFormed();
  return text.length <= MAX_CHARS ? text : cutOutcome(text, MAX_CHARS);
}

/** The start of a text that is too long, which says at its end that it is. */
export function cutOutcome(text: string, most: number): string {
  const start = startOf(text, most);
  return `${start}\n[cut here: ${text.length - start.length} of ${text.length} characters are left out]`;
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    // undefined and functions have no JSON form.
    return JSON.stringify(value) ?? 'null';
  } catch (error) {
    // A cycle or a BigInt: the tool ran, and the model is told what happened to its result.
    return `[the result cannot be written as JSON: ${messageOf(error)}]`;
  }
}
