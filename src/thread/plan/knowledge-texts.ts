import type { KnowledgeItem } from '../../core/item.ts';
import { wrapItem } from './wrap-item.ts';

/** The text of a knowledge item as a prompt shows it: with the tag of its item around it, or without. */
export type KnowledgeTexts = (item: KnowledgeItem, wrap: boolean) => string;

type Texts = { readonly bare: string; readonly wrapped: string };

/** Makes them; each is made once, for as long as its item is the same. */
export function createKnowledgeTexts(): KnowledgeTexts {
  const known = new WeakMap<KnowledgeItem, Texts>();
  return (item, wrap) => {
    let texts = known.get(item);
    if (!texts) known.set(item, (texts = textsOf(item)));
    return wrap ? texts.wrapped : texts.bare;
  };
}

function textsOf({ name, id, content }: KnowledgeItem): Texts {
  const bare = content.trim();
  return { bare, wrapped: wrapItem({ name, id, type: 'knowledge' }, bare) };
}
