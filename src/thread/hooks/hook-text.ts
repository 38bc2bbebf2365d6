import { asText } from '../../core/path.ts';
import type { PromptyMessage } from '../../core/prompty-message.ts';
import { textOfParts } from '../../core/content-part.ts';
import { isRecord, own } from '../../core/record.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import type { HookActionOrder } from './hook-action.ts';
import { wrapItem, type TextSource } from '../plan/wrap-item.ts';

type Given = { readonly data: unknown; readonly type: string; readonly id: string };

/**
 * The text that an action gives to a prompt, in a tag unless the hook says otherwise: `content`, `body` or `raw` of
 * its data (S2 §7.6), of a directive its body or what its messages say; or the data itself if that is a text. Empty if there is nothing to be said.
 */
export function readHookText({ event, hook, action }: HookActionOrder, value: unknown): Result<string> {
  const given = readGiven(value, action.hostFunction ?? action.itemId);
  // A function of the host may return anything under this name.
  const messages = action.hostFunction === undefined ? messagesOf(given) : undefined;
  const media = messages?.flatMap(({ content }) => content).find(({ kind }) => kind !== 'text');
  if (media) {
    const message = `${given.id} gave a ${event} hook content of the kind ${media.kind}; texts only are expected`;
    return failed({ code: 'hook_failed', message });
  }
  const text = (messages ? messages.map(({ content }) => textOfParts(content)).join('\n\n') : textOf(given))?.trim();
  if (text === undefined) {
    const what = given.id === '' ? 'The action' : given.id;
    const message = `${what} gave a ${event} hook nothing to say: its data has no content, body or raw`;
    return failed({ code: 'hook_failed', message });
  }
  return ok(hook.wrap ? wrapItem(sourceOf(given), text) : text);
}

/** The result of a primary action, or what a function of the host returned. */
function readGiven(value: unknown, id: string): Given {
  if (!isRecord(value) || own(value, 'status') !== 'success') return { data: value, type: 'function', id };
  return { data: own(value, 'data'), type: asText(own(value, 'type')), id: asText(own(value, 'item_id')) || id };
}

/** What a directive with roles says; its body is empty then. */
function messagesOf({ data, type }: Given): readonly PromptyMessage[] | undefined {
  const messages = type === 'directive' && isRecord(data) ? own(data, 'messages') : undefined;
  // Primary `execute` has made them.
  return Array.isArray(messages) ? (messages as readonly PromptyMessage[]) : undefined;
}

function textOf({ data, type }: Given): string | undefined {
  if (data === null || data === undefined) return '';
  if (typeof data === 'string') return data;
  if (!isRecord(data)) return undefined;
  // The content of a directive is its XML.
  const names = type === 'directive' ? ['body'] : ['content', 'body', 'raw'];
  const texts = names.map((name) => own(data, name)).filter((text) => typeof text === 'string');
  return texts.find((text) => text !== '') ?? texts[0];
}

function sourceOf({ data, type, id }: Given): TextSource {
  const name = isRecord(data) ? own(data, 'name') : undefined;
  return { name: typeof name === 'string' && name !== '' ? name : (id.split('/').at(-1) ?? id), id, type };
}
