import { styleText } from 'node:util';
import type { CliIo, Terminal } from './io.ts';

/** Styles for a terminal; each gives the text back unchanged where there is no colour. */
export type Paint = Readonly<Record<'bold' | 'dim' | 'red' | 'yellow' | 'green', (text: string) => string>>;

type Screen = Pick<CliIo, 'env'> & { readonly stream: Terminal };

/** Styles for a stream: none if it is no terminal, or NO_COLOR is set. */
export function createPaint({ stream, env }: Screen): Paint {
  const on = stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const style = (name: keyof Paint) => (text: string) =>
    on && text !== '' ? styleText(name, text, { validateStream: false }) : text;
  return { bold: style('bold'), dim: style('dim'), red: style('red'), yellow: style('yellow'), green: style('green') };
}
