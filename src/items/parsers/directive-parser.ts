import type { Directive } from '../../core/item.ts';
import { readDirective } from '../read-directive.ts';
import type { Parser } from './parser.ts';

/** Reads a directive: Markdown around an XML head. */
export const parseDirectiveFile: Parser<Directive> = ({ item, known }) => {
  const { directive, data } = readDirective(item.text, { id: item.id, file: item.stamp.file, known });
  const text = [directive.preamble, directive.body].join('\n').trim();
  return { value: directive, data, text, warnings: directive.warnings, declared: true };
};
