import { messageOf } from '../../core/errors.ts';
import type { ToolOutcome } from '../../core/tool.ts';
import type { AssemblySession } from '../tiers/assembly-session.ts';
import { fetchPage } from './fetch-page.ts';
import { enterReview, leaveReview } from './review-tools.ts';
import { giveRoom, selectFile, showContext } from '../tiers/show-context.ts';
import type { ThreadToolCall, ThreadToolCode } from './thread-tool.ts';

const FOLDER = 'rye/agent/threads/context/';

/** Whether a tool changes what a prompt in tiers shows: no other thread is offered it. */
export function isContextTool(id: string): boolean {
  return id.startsWith(FOLDER);
}

/** A call of such a tool. */
export type ContextCall = ThreadToolCall & { readonly session: AssemblySession };

/** What such a tool does. */
export type ContextCode = (
  call: ContextCall,
  done: (outcome: ToolOutcome) => void,
) => ReturnType<ThreadToolCode['run']>;

const selectFiles: ContextCode = (call, done) => {
  const { session } = call;
  const selected: string[] = [];
  const refused: { readonly path: string; readonly message: string }[] = [];
  // Checked against its file.
  for (const path of call.input['paths'] as readonly string[]) {
    try {
      const name = session.files.nameOf(path);
      if (session.files.selected().includes(name)) continue;
      const message = selectFile(call, name);
      if (message === undefined) selected.push(name);
      else refused.push({ path, message });
    } catch (thrown) {
      refused.push({ path, message: messageOf(thrown) });
    }
  }
  if (selected.length > 0) showContext(call, { selected });
  done({ ok: true, value: { selected: session.files.selected(), refused } });
  return undefined;
};

const dropFiles: ContextCode = (call, done) => {
  const { files, pages } = call.session;
  // Checked against its file.
  const given = call.input['paths'] as readonly string[];
  // A URL, and what nobody knows, is called as it is.
  const nameOf = (path: string): string => (files.selected().includes(files.nameOf(path)) ? files.nameOf(path) : path);
  const paths = [...new Set(given.map(nameOf))];
  const shown = new Map(paths.map((path) => [path, pages.get(path)?.content ?? textOf(files, path)]));
  const dropped = paths.filter((path) => files.drop(path));
  const forgotten = paths.filter((url) => pages.has(url));
  for (const path of [...dropped, ...forgotten]) giveRoom(call, path, shown.get(path) ?? '');
  if (dropped.length + forgotten.length > 0) {
    showContext(call, { ...(dropped.length > 0 && { dropped }), ...(forgotten.length > 0 && { forgotten }) });
  }
  const unknown = paths.filter((path) => !dropped.includes(path) && !forgotten.includes(path));
  done({ ok: true, value: { dropped: [...dropped, ...forgotten], unknown } });
  return undefined;
};

function textOf(files: AssemblySession['files'], path: string): string | undefined {
  return files.selected().includes(path) ? files.content(path) : undefined;
}

/** The tools by which a model changes what its prompt in tiers shows; what they change is in the log, and in the next request. */
export const CONTEXT_TOOLS: readonly ThreadToolCode[] = Object.entries({
  select_files: selectFiles,
  drop_files: dropFiles,
  fetch_url: fetchPage,
  enter_review: enterReview,
  leave_review: leaveReview,
}).map(([name, code]) => ({ id: `${FOLDER}${name}`, run: inTiers(`${FOLDER}${name}`, code) }));

function inTiers(id: string, code: ContextCode): ThreadToolCode['run'] {
  return (call, done) => {
    const { assembly: session } = call.thread;
    if (session) return code({ ...call, session }, done);
    const message = `${id} is for threads whose prompt stands in tiers (<context assembly="tiered">)`;
    done({ ok: false, failure: { code: 'not_available', message } });
    return undefined;
  };
}
