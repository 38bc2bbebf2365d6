import { RE2JS } from 're2js';
import { compilePattern } from '../bounded-pattern.ts';
import { messageOf } from '../errors.ts';
import type { KeywordPlace, SchemaPattern } from './schema-check.ts';
import { badSchema } from './schema-walk.ts';

/** Most patterns of one schema, and characters of them all: a worker that has many tools compiles those of all of them. */
const MAX_PATTERNS = 64;
const MAX_CHARACTERS = 8192;
/** What a pattern does that counts as one step, as much as a schema that is applied: instructions, times characters. */
const WORK_OF_A_STEP = 256;

/** Makes what compiles the patterns of one schema, each once. */
export function schemaPatterns(): KeywordPlace['pattern'] {
  const compiled = new Map<string, SchemaPattern>();
  let characters = 0;
  return (source, pointer) => {
    if (typeof source !== 'string') throw badSchema(pointer, `expected a pattern, found ${JSON.stringify(source)}`);
    const known = compiled.get(source);
    if (known) return known;
    characters += source.length;
    if (compiled.size === MAX_PATTERNS || characters > MAX_CHARACTERS) {
      throw badSchema(pointer, `it has more than ${MAX_PATTERNS} patterns, or ${MAX_CHARACTERS} characters in them`);
    }
    const pattern = counted(compile(source, pointer));
    compiled.set(source, pattern);
    return pattern;
  };
}

function compile(source: string, pointer: string): RE2JS {
  try {
    return compilePattern(RE2JS.translateRegExp(source));
  } catch (error) {
    throw badSchema(pointer, `pattern ${source}: ${messageOf(error)}`);
  }
}

function counted(pattern: RE2JS): SchemaPattern {
  const size = pattern.programSize();
  return (text, run) => {
    run.stepsLeft -= Math.floor((size * text.length) / WORK_OF_A_STEP);
    // Whoever has none left is refused, whatever was found.
    return run.stepsLeft <= 0 || pattern.matcher(text).find();
  };
}
