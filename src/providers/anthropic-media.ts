import type {
  Base64ImageSource,
  ContentBlockParam,
  DocumentBlockParam,
  ImageBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { ContentPart, MediaSource } from '../core/content-part.ts';
import { mediaTypeOf, refuseMedia, sourceOf } from './refuse-media.ts';

const NAME = 'Anthropic';
const IMAGES: readonly Base64ImageSource['media_type'][] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/** A part of a user's message in the Messages API's words; blank text is left out. @throws SkeinError `content_unsupported` */
export function anthropicPart(part: ContentPart): ContentBlockParam[] {
  if (part.kind === 'text') return part.value.trim() === '' ? [] : [{ type: 'text', text: part.value }];
  const source = sourceOf(NAME, part);
  if (part.kind === 'audio') throw refuseMedia(NAME, 'audio');
  if (part.kind === 'image') return [{ type: 'image', source: imageSource(source) }];
  return [{ type: 'document', source: documentSource(source), ...(part.name && { title: part.name }) }];
}

function imageSource(source: MediaSource): ImageBlockParam['source'] {
  if (source.at === 'url') return { type: 'url', url: source.url };
  const given = mediaTypeOf(NAME, 'image', source);
  const mediaType = IMAGES.find((known) => known === given);
  if (mediaType === undefined) throw refuseMedia(NAME, `images of the type ${given}`);
  return { type: 'base64', media_type: mediaType, data: source.data };
}

function documentSource(source: MediaSource): DocumentBlockParam['source'] {
  if (source.at === 'url') return { type: 'url', url: source.url };
  const mediaType = mediaTypeOf(NAME, 'file', source);
  if (mediaType === 'application/pdf') return { type: 'base64', media_type: mediaType, data: source.data };
  if (!mediaType.startsWith('text/')) throw refuseMedia(NAME, `files of the type ${mediaType}`);
  return { type: 'text', media_type: 'text/plain', data: Buffer.from(source.data, 'base64').toString('utf8') };
}
