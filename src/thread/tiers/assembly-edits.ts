import { posix } from 'node:path';
import type { Message, ToolCall } from '../../core/conversation.ts';
import type { ThreadPlan } from '../plan/plan.ts';

type Names = Pick<ThreadPlan['palette'], 'idOf'>;

/** What a conversation has been added to since, and the tools its calls name. */
export type EditSearch = {
  readonly messages: readonly Message[];
  readonly since: Message | undefined;
  readonly names: Names;
};

/**
 * Files whose change the conversation itself says: what the model's successful calls since a message have made of the text
 * that it has seen is exactly what is there now. `before`, `now`: texts by path.
 */
export function editsSaid(
  search: EditSearch,
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const edits = editsSince(search);
  const said = [...now].filter(([path, text]) => {
    const seen = before.get(path);
    const own = edits.filter((edit) => edit.path === path);
    return seen !== undefined && own.length > 0 && own.reduce<string | undefined>(apply, seen) === text;
  });
  return new Set(said.map(([path]) => path));
}

type Edit = {
  readonly path: string;
  readonly from: string | undefined;
  readonly to: string;
  readonly isEverywhere: boolean;
};

function editsSince({ messages, since, names }: EditSearch): Edit[] {
  const from = since ? messages.lastIndexOf(since) : -1;
  if (from === -1) return [];
  const later = messages.slice(from);
  const failed = new Set(
    later.flatMap((message) => (message.role === 'tool' && message.isError ? message.callId : [])),
  );
  return later
    .flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []))
    .filter(({ id }) => !failed.has(id))
    .flatMap((call) => editOf(call, names));
}

const EDIT = 'rye/file-system/edit';
const WRITE = 'rye/file-system/write';

function editOf({ name, input }: ToolCall, { idOf }: Names): Edit[] {
  const tool = idOf(name);
  const { path, old_string, new_string, replace_all, content } = input;
  if (typeof path !== 'string') return [];
  const at = { path: posix.normalize(path), isEverywhere: replace_all === true };
  if (tool === WRITE && typeof content === 'string') return [{ ...at, from: undefined, to: content }];
  if (tool !== EDIT || typeof old_string !== 'string' || typeof new_string !== 'string') return [];
  return [{ ...at, from: old_string, to: new_string }];
}

/** Undefined once an edit does not fit: somebody else has changed the file as well. */
function apply(text: string | undefined, { from, to, isEverywhere }: Edit): string | undefined {
  if (text === undefined || from === undefined) return from === undefined ? to : undefined;
  const pieces = text.split(from);
  if (pieces.length < 2 || (pieces.length > 2 && !isEverywhere)) return undefined;
  return pieces.join(to);
}
