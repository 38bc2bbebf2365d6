import { startOf } from '../../core/cut-text.ts';
import type { IndexedDocument } from './index-entry.ts';

/** What a hit shows of an item. */
export type ShownTexts = Pick<IndexedDocument, 'name' | 'title' | 'description' | 'tags'>;

/** The most characters that are shown: a search is to help choosing, and loading an item gives all of it. */
const MAX_TITLE = 200;
const MAX_DESCRIPTION = 400;
const MAX_TAGS = 32;

/** The texts of an item for its hits: what is longer ends in an ellipsis. Searched is all of it. */
export function shownTexts({ name, title, description, tags }: ShownTexts): ShownTexts {
  const shownTags = tags.slice(0, MAX_TAGS).map(shownLine);
  return {
    name: shownLine(name),
    title: shownLine(title),
    description: clip(description, MAX_DESCRIPTION),
    tags: tags.length > MAX_TAGS ? [...shownTags, '…'] : shownTags,
  };
}

/** A text of one line as a hit shows it. */
export function shownLine(text: string): string {
  return clip(text, MAX_TITLE);
}

/** At most `max` characters, the ellipsis among them. */
function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${startOf(text, max - 1).trimEnd()}…`;
}
