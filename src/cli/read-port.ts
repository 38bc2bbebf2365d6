import { SkeinError } from '../index.ts';

const MAX_PORT = 65_535;

/** Reads the value of `--port`; 0 is any that is free. @throws SkeinError `invalid_argument` */
export function readPort(text = '0'): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= MAX_PORT) return Number(text);
  throw new SkeinError('invalid_argument', `--port is ${JSON.stringify(text)}; a number up to ${MAX_PORT} is expected`);
}
