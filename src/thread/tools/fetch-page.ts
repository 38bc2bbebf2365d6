import { isRecord, own } from '../../core/record.ts';
import type { ContextCode } from './context-tools.ts';
import { showContext, takeRoom } from '../tiers/show-context.ts';

/** What it is fetched with: the tool that ships, with its confinement. */
const FETCH = 'rye/web/fetch';

/** Of a longer page its beginning is shown; of more pages the last ones. */
const MAX_CHARACTERS = 100_000;
const MAX_PAGES = 20;

/** `fetch_url`: a page is fetched once; what it said then stays in the prompt and in the log. */
export const fetchPage: ContextCode = (call, done) => {
  const { thread, services, session, input, callId = '' } = call;
  const caller = {
    threadId: thread.lineage.threadId,
    callId,
    projectPath: services.projectPath,
    allows: thread.plan.allows,
  };
  return services.tools.find(FETCH, 'system').run({ url: input['url'] }, caller, (outcome) => {
    if (!outcome.ok) return done(outcome);
    const page = readPage(outcome.value);
    if (!page) return done(notRead(String(input['url']), outcome.value));
    const { url, title, body } = page;
    const content = cut(body);
    const forgotten = [...session.pages.keys()].filter((known) => known !== url).slice(0, -(MAX_PAGES - 1));
    const instead = [url, ...forgotten].map((gone) => session.pages.get(gone)?.content ?? '');
    const message = takeRoom(call, content, { instead });
    if (message !== undefined) return done({ ok: false, failure: { code: 'tool_failed', message } });
    showContext(call, { fetched: { url, ...title, content }, ...(forgotten.length > 0 && { forgotten }) });
    done({ ok: true, value: { url, characters: content.length } });
  });
};

type Page = { readonly url: string; readonly title: { readonly title?: string }; readonly body: string };

function readPage(value: unknown): Page | undefined {
  if (!isRecord(value)) return undefined;
  const [status, url, body, title] = ['status', 'url', 'body', 'title'].map((key) => own(value, key));
  const isThere = typeof status === 'number' && status >= 200 && status < 300;
  if (!isThere || typeof url !== 'string' || typeof body !== 'string') return undefined;
  return { url, title: typeof title === 'string' ? { title } : {}, body };
}

function notRead(url: string, value: unknown): Parameters<Parameters<ContextCode>[1]>[0] {
  const status = isRecord(value) ? own(value, 'status') : undefined;
  return { ok: false, failure: { code: 'tool_failed', message: `${url} answered with status ${String(status)}` } };
}

function cut(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const kept = text.slice(0, MAX_CHARACTERS).toWellFormed();
  return `${kept}\n(${text.length - MAX_CHARACTERS} more characters are not shown)`;
}
