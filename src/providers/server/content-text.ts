/** The text of a message's content, whatever else is in it. */
export function contentText(content: string | readonly { readonly type: string }[]): string {
  if (typeof content === 'string') return content;
  let text = '';
  for (const part of content) if ('text' in part && typeof part.text === 'string') text += part.text;
  return text;
}
