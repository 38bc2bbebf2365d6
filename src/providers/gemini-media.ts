import type { Part } from '@google/genai/web';
import type { ContentPart } from '../core/content-part.ts';
import { mediaTypeOf, sourceOf } from './refuse-media.ts';

const NAME = 'Gemini';

/** A part of a user's message in generateContent's words; blank text is left out. @throws SkeinError `content_unsupported` */
export function geminiPart(part: ContentPart): Part[] {
  if (part.kind === 'text') return part.value.trim() === '' ? [] : [{ text: part.value }];
  const source = sourceOf(NAME, part);
  if (source.at === 'data') {
    return [{ inlineData: { mimeType: mediaTypeOf(NAME, part.kind, source), data: source.data } }];
  }
  return [{ fileData: { fileUri: source.url, ...(source.mediaType && { mimeType: source.mediaType }) } }];
}
