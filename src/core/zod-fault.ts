import { z } from 'zod';

/** What does not fit, all of it on one line: for a message that a model or a log gets. */
export function faultLine(error: z.ZodError): string {
  const lines = z.prettifyError(error).split('\n');
  return lines.flatMap((line) => line.trim() || []).join(' ');
}
