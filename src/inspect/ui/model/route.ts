/** The parts of a thread's page, in the order of their tabs. */
export const THREAD_TABS = ['machine', 'transcript', 'prompt', 'budget', 'errors', 'timeline'] as const;

/** One part of a thread's page. */
export type ThreadTab = (typeof THREAD_TABS)[number];

/** What the page shows, as it stands in the address behind `#`. */
export type Route =
  | { readonly view: 'threads' }
  /** `at`: an event of its log, around which the transcript is read. */
  | { readonly view: 'thread'; readonly id: string; readonly tab: ThreadTab; readonly at?: number }
  | { readonly view: 'approvals' }
  | { readonly view: 'search'; readonly query: string };

/** Reads the fragment of an address; what it does not know is the list of threads. */
export function parseRoute(fragment: string): Route {
  const [path = '', search = ''] = fragment.replace(/^#?\/?/, '').split('?');
  const [view, id, tab] = path.split('/').map(decoded);
  const asked = new URLSearchParams(search);
  if (view === 'thread' && id) {
    const at = asked.get('at') ?? '';
    const place = /^[1-9]\d{0,14}$/.test(at) && { at: Number(at) };
    return { view, id, tab: THREAD_TABS.find((name) => name === tab) ?? 'machine', ...place };
  }
  if (view === 'approvals') return { view };
  if (view === 'search') return { view, query: asked.get('q') ?? '' };
  return { view: 'threads' };
}

/** The fragment that {@link parseRoute} reads. */
export function routeHref(route: Route): string {
  switch (route.view) {
    case 'threads':
      return '#/';
    case 'thread':
      return `#/thread/${encodeURIComponent(route.id)}/${route.tab}${route.at === undefined ? '' : `?at=${route.at}`}`;
    case 'approvals':
      return '#/approvals';
    case 'search':
      return `#/search?${new URLSearchParams({ q: route.query })}`;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not encoded by us: as it stands it names nothing that exists.
    return text;
  }
}
