/** What a text in a prompt came from. */
export type TextSource = { readonly name: string; readonly id: string; readonly type: string };

/** A text in a tag of the name of its item (S3). */
export function wrapItem({ name, id, type }: TextSource, text: string): string {
  const tag = name.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  return `<${tag} id="${id}" type="${type}">\n${text}\n</${tag}>`;
}
