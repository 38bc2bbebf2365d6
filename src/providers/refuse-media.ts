import { mediaSource, type MediaKind, type MediaPart, type MediaSource } from '../core/content-part.ts';
import { SkeinError } from '../core/errors.ts';

/**
 * The error for content that a provider can't be sent; thrown while the request is built, so that no call is made.
 *
 * @param what what it can't take, and why
 */
export function refuseMedia(provider: string, what: string): SkeinError {
  return new SkeinError('content_unsupported', `${provider} can't be sent ${what}`);
}

/** Where the bytes of a part are, which every input was checked for. @throws SkeinError `content_unsupported` */
export function sourceOf(provider: string, part: MediaPart): MediaSource {
  const source = mediaSource(part);
  if (source === undefined) throw refuseMedia(provider, `this ${part.kind}: its value is neither a URL nor base64`);
  return source;
}

/** The media type of bytes. @throws SkeinError `content_unsupported` if nothing says it */
export function mediaTypeOf(provider: string, kind: MediaKind, { mediaType }: MediaSource): string {
  if (mediaType !== undefined) return mediaType;
  throw refuseMedia(provider, `this ${kind}: its mediaType has to be said`);
}
