/** Kinds of content that are no text (S4, "Rich kinds"). */
export type MediaKind = 'image' | 'file' | 'audio';

/** Content that is no text, with where it is or what it is. */
export type MediaPart = {
  readonly kind: MediaKind;
  /** An `http`, `https` or other URL with `//`, a data URL, or base64. */
  readonly value: string;
  /** Such as `image/png`; left out where the value says it or its first bytes show it. */
  readonly mediaType?: string;
  /** How closely an image is to be looked at, in the provider's words. */
  readonly detail?: string;
  /** What a file is called. */
  readonly name?: string;
};

/** A piece of a message. */
export type ContentPart = { readonly kind: 'text'; readonly value: string } | MediaPart;

/** Where the bytes of a part are: behind a URL, or here in base64. `mediaType` is absent if nothing says it. */
export type MediaSource =
  | { readonly at: 'url'; readonly url: string; readonly mediaType: string | undefined }
  | { readonly at: 'data'; readonly data: string; readonly mediaType: string | undefined };

/** Reads where the bytes of a part are; undefined if its value is neither a URL nor base64. */
export function mediaSource({ kind, value, mediaType }: MediaPart): MediaSource | undefined {
  const inline = DATA_URL.exec(value.slice(0, MAX_HEAD));
  if (inline) return inBase64(value.slice(inline[0].length), mediaType ?? (inline[1] || undefined), kind);
  if (URL_HEAD.test(value)) return { at: 'url', url: value, mediaType };
  return inBase64(value, mediaType, kind);
}

/** The texts of some parts, one after the other. */
export function textOfParts(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.kind === 'text' ? part.value : '')).join('');
}

/** A data URL's head is no longer. */
const MAX_HEAD = 300;
const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w.+-]+=[\w.+-]+)*;base64,/i;
const URL_HEAD = /^[a-z][a-z0-9+.-]{0,20}:\/\/\S/i;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

function inBase64(text: string, mediaType: string | undefined, kind: MediaKind): MediaSource | undefined {
  const data = text.replaceAll(/[\r\n]/g, '');
  if (!BASE64.test(data)) return undefined;
  return { at: 'data', data, mediaType: mediaType?.toLowerCase() ?? shownType(data, kind) };
}

/** How the first bytes of a format look in base64. */
const HEADS: readonly (readonly [kind: MediaKind, head: string, mediaType: string])[] = [
  ['image', 'iVBORw0KGgo', 'image/png'],
  ['image', '/9j/', 'image/jpeg'],
  ['image', 'R0lGOD', 'image/gif'],
  ['image', 'UklGR', 'image/webp'],
  ['audio', 'UklGR', 'audio/wav'],
  ['audio', 'SUQz', 'audio/mpeg'],
  ['audio', 'T2dnUw', 'audio/ogg'],
  ['audio', 'ZkxhQw', 'audio/flac'],
  ['file', 'JVBERi0', 'application/pdf'],
];

function shownType(data: string, kind: MediaKind): string | undefined {
  return HEADS.find(([of, head]) => of === kind && data.startsWith(head))?.[2];
}
