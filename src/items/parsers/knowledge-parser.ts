import type { KnowledgeItem } from '../../core/item.ts';
import { readKnowledge } from '../knowledge.ts';
import { quote, startReading, warn, warningsOf } from '../reading.ts';
import type { Parser } from './parser.ts';

/** Reads knowledge: front matter and text. Keys of the front matter that no field reaches are remarked on. */
export const parseKnowledgeFile: Parser<KnowledgeItem> = ({ item, known }) => {
  const at = { id: item.id, file: item.stamp.file, space: item.space };
  const reading = startReading(at);
  const { value, data } = readKnowledge(item.text, at, known);
  for (const key of Object.keys(data)) {
    if (!known.has(key)) warn(reading, undefined, `${quote(key)} in the front matter is not known and is ignored`);
  }
  return { value, data, text: value.content, warnings: warningsOf(reading), declared: true };
};
