import type { CliIo, Terminal } from './io.ts';

/** Styles for a terminal; each gives the text back unchanged where there is no colour. */
export type Paint = Readonly<Record<'bold' | 'dim' | 'red' | 'yellow' | 'green', (text: string) => string>>;

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], yellow: [33, 39], green: [32, 39] } as const;

type Screen = Pick<CliIo, 'env'> & { readonly stream: Terminal };

/** Styles for a stream: none if it is no terminal, or NO_COLOR is set. */
export function createPaint({ stream, env }: Screen): Paint {
  const on = stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const style = (name: keyof typeof CODES) => (text: string) =>
    on && text !== '' ? `\u001B[${CODES[name][0]}m${text}\u001B[${CODES[name][1]}m` : text;
  return { bold: style('bold'), dim: style('dim'), red: style('red'), yellow: style('yellow'), green: style('green') };
}
