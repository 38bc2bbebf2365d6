import type { KnowledgeItem } from '../core/item.ts';

/** A knowledge item in a tag of its name (S3). */
export function wrapKnowledge({ name, id, content }: KnowledgeItem): string {
  const tag = name.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  return `<${tag} id="${id}" type="knowledge">\n${content.trim()}\n</${tag}>`;
}
