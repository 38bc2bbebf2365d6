import { exactJson } from '../core/exact-json.ts';
import type { ToolItem } from '../core/item.ts';
import type { Result } from '../core/result.ts';
import type { ToolOutcome } from '../core/tool.ts';
import { htmlTitle, htmlToText } from './html-text.ts';
import { isHtmlType, isXhtmlType } from './http-client-body.ts';
import type { HttpOrder } from './http-client-order.ts';
import type { HttpAnswer } from './http-client-send.ts';

/**
 * What an answer means for its call: `{status, url, content_type, body}`, of a page made readable also its `title`, whatever the status, since a tool may want to
 * tell 404 from 200. A body that should be JSON and is not is `tool_failed` with the reason `not_json`.
 */
export function httpOutcome(item: ToolItem, { result }: HttpOrder, answered: Result<HttpAnswer>): ToolOutcome {
  if (!answered.ok) return failure(item, answered.failure);
  const { status, url, contentType, text } = answered.value;
  const value = (body: unknown, title?: string): ToolOutcome => ({
    ok: true,
    value: { status, url, content_type: contentType, ...(title !== undefined && { title }), body },
  });
  if (result === 'readable' && isHtmlType(contentType)) {
    return value(htmlToText(text, { isXml: isXhtmlType(contentType) }), htmlTitle(text));
  }
  if (result !== 'json') return value(text);
  const json = text === '' ? null : exactJson(text);
  if (json !== undefined) return value(json);
  // Whoever called sees what came instead, most often the page of an error.
  const message = `status ${status} of ${url} is no JSON; it begins with ${JSON.stringify(text.slice(0, 500))}`;
  return failure(item, { code: 'tool_failed', message, detail: { reason: 'not_json', status } });
}

type Failed = Extract<ToolOutcome, { ok: false }>['failure'];

function failure({ id, file }: ToolItem, { message, ...rest }: Failed): ToolOutcome {
  return { ok: false, failure: { where: { file }, ...rest, message: `tool ${id}: ${message}` } };
}
