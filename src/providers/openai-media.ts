import type { ChatCompletionContentPart } from 'openai/resources/chat/completions';
import type { ResponseInputContent, ResponseInputImage } from 'openai/resources/responses/responses';
import type { ContentPart, MediaPart, MediaSource } from '../core/content-part.ts';
import { mediaTypeOf, refuseMedia, sourceOf } from './refuse-media.ts';

const CHAT = 'Chat Completions';
const RESPONSES = 'Responses';
type Detail = 'auto' | 'low' | 'high';
const DETAILS: readonly Detail[] = ['auto', 'low', 'high'];
/** The formats of audio by their media types. */
const FORMATS: ReadonlyMap<string, 'wav' | 'mp3'> = new Map([
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/wave', 'wav'],
  ['audio/mp3', 'mp3'],
  ['audio/mpeg', 'mp3'],
]);

/** A part of a user's message in Chat Completions' words. @throws SkeinError `content_unsupported` */
export function chatPart(part: ContentPart): ChatCompletionContentPart {
  if (part.kind === 'text') return { type: 'text', text: part.value };
  const source = sourceOf(CHAT, part);
  if (part.kind === 'image') {
    return { type: 'image_url', image_url: { url: urlOf(CHAT, part, source), ...detailOf(part) } };
  }
  if (source.at === 'url')
    throw refuseMedia(CHAT, `the URL of ${part.kind === 'file' ? 'a file' : 'audio'}: only its bytes`);
  if (part.kind === 'file') {
    return { type: 'file', file: { filename: fileName(part), file_data: urlOf(CHAT, part, source) } };
  }
  const mediaType = mediaTypeOf(CHAT, 'audio', source);
  const format = FORMATS.get(mediaType);
  if (format === undefined) throw refuseMedia(CHAT, `audio of the type ${mediaType}`);
  return { type: 'input_audio', input_audio: { data: source.data, format } };
}

/** A part of a user's message in the Responses API's words. @throws SkeinError `content_unsupported` */
export function responsesPart(part: ContentPart): ResponseInputContent {
  if (part.kind === 'text') return { type: 'input_text', text: part.value };
  const source = sourceOf(RESPONSES, part);
  if (part.kind === 'audio') throw refuseMedia(RESPONSES, 'audio');
  if (part.kind === 'image') {
    const detail: ResponseInputImage['detail'] = detailOf(part).detail ?? 'auto';
    return { type: 'input_image', image_url: urlOf(RESPONSES, part, source), detail };
  }
  if (source.at === 'url') return { type: 'input_file', file_url: source.url };
  return { type: 'input_file', filename: fileName(part), file_data: urlOf(RESPONSES, part, source) };
}

/** Bytes go as a data URL. */
function urlOf(provider: string, { kind }: MediaPart, source: MediaSource): string {
  return source.at === 'url' ? source.url : `data:${mediaTypeOf(provider, kind, source)};base64,${source.data}`;
}

function detailOf({ detail }: MediaPart): { detail?: Detail } {
  const known = DETAILS.find((word) => word === detail);
  return known === undefined ? {} : { detail: known };
}

/** The API asks for one. */
function fileName({ name }: MediaPart): string {
  return name ?? 'file';
}
