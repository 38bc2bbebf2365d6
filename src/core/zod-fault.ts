import { z } from 'zod';

/** What does not fit, all of it on one line: for a message that a model or a log gets. */
export function faultLine(error: z.ZodError): string {
  return z.prettifyError(error).replaceAll(/\s*\n\s*/g, ' ');
}
