import { useLayoutEffect } from 'preact/hooks';
import { THREAD_TABS, type Route } from '../model/route.ts';
import { goTo } from '../parts/use-route.ts';

/** Keys and what they do, as the help lists them. */
export const SHORTCUTS = [
  ['↑ ↓', 'Go through the threads'],
  ['→ ←', 'Open and close a thread’s children'],
  ['Home End', 'First and last thread'],
  ['Enter', 'Show the thread'],
  ['1 … 6', 'Its machine, transcript, prompt, budget, errors, timeline'],
  ['t', 'To the tree of threads'],
  ['a', 'Approvals'],
  ['/', 'Search'],
  ['d', 'Light, dark, or as the system says'],
  ['?', 'This help'],
  ['Esc', 'Close what is open'],
] as const;

type Doing = {
  readonly route: Route;
  /** Whether keys of one character do something. */
  readonly areOn: boolean;
  readonly help: () => void;
  readonly theme: () => void;
};

/** Listens for the keys of {@link SHORTCUTS} that mean the same everywhere, except where text is written; what a key means follows what is shown without a frame in between. */
export function useShortcuts(doing: Doing): void {
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
      if (document.querySelector('dialog[open]')) return;
      if (act(event.key, doing)) event.preventDefault();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  });
}

/** Does what a key means everywhere; false: nothing. */
export function act(key: string, { route, areOn, help, theme }: Doing): boolean {
  if (!areOn && key.length === 1) return false;
  const tab = THREAD_TABS[Number(key) - 1];
  if (key === '?') help();
  else if (key === 'd') theme();
  else if (key === 't') focusTree();
  else if (key === 'a') goTo({ view: 'approvals' });
  else if (key === '/') focusSearch(route);
  else if (key === 'Escape' && route.view !== 'threads') goTo({ view: 'threads' });
  else if (tab !== undefined && route.view === 'thread') goTo({ view: 'thread', id: route.id, tab });
  else return false;
  return true;
}

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
  );
}

/** Where the search is shown already, its field is all that is missing. */
function focusSearch({ view }: Route): void {
  if (view === 'search') document.querySelector<HTMLElement>('input[type=search]')?.focus();
  else goTo({ view: 'search', query: '' });
}

function focusTree(): void {
  const tree = document.querySelector<HTMLElement>('[role=treegrid]');
  // Where there is room for one column, the tree is a page of its own.
  if (tree?.offsetParent) tree.focus();
  else goTo({ view: 'threads' });
}
