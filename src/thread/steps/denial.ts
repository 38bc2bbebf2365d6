import type { Answer } from '../conversation/history.ts';

/** What the model hears of a call that a person has denied. */
export function denial({ by, message }: Answer): string {
  return message === undefined ? `Denied by ${by}` : `Denied by ${by}: ${message}`;
}
