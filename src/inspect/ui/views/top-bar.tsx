import type { VNode } from 'preact';
import { formatCount, formatUsd } from '../model/format-values.ts';
import { routeHref, type Route } from '../model/route.ts';
import type { Theme } from '../parts/use-theme.ts';
import { usePage } from './context.ts';
import { ConnectionMark } from './connection-mark.tsx';

/** What is always there: the project, what it comes to, how the connection stands, and the ways to other views. */
export function TopBar(props: {
  readonly route: Route;
  readonly theme: Theme;
  /** Whether keys of one character do something. */
  readonly keys: boolean;
  readonly onTheme: () => void;
  readonly onHelp: () => void;
}): VNode {
  const { route } = props;
  const project = usePage((state) => state.project);
  const pending = project?.pending_approvals ?? 0;
  return (
    <header class="top-bar">
      <a class="brand" href={routeHref({ view: 'threads' })}>
        Skein <span class="brand-project">{project?.name}</span>
      </a>
      {project && (
        <p class="top-facts">
          <span class="number">{formatCount(project.totals.threads)}</span> threads
          <span class="gap" />
          <span class="number">{formatUsd(project.totals.spend)}</span> spent
        </p>
      )}
      <ConnectionMark />
      <nav class="top-links" aria-label="Views">
        <ViewLink route={{ view: 'threads' }} current={route.view === 'threads' || route.view === 'thread'}>
          Threads
        </ViewLink>
        <ViewLink route={{ view: 'approvals' }} current={route.view === 'approvals'}>
          Approvals {pending > 0 && <span class="badge">{formatCount(pending)}</span>}
        </ViewLink>
        <ViewLink route={{ view: 'search', query: '' }} current={route.view === 'search'}>
          Search
        </ViewLink>
        <button type="button" class="link" onClick={props.onTheme} aria-label={`Colours: ${props.theme}`}>
          {THEMES[props.theme]}
        </button>
        <button
          type="button"
          class="link"
          onClick={props.onHelp}
          aria-label="Keys and marks"
          {...(props.keys && { 'aria-keyshortcuts': '?' })}
        >
          ?
        </button>
      </nav>
    </header>
  );
}

const THEMES: Readonly<Record<Theme, string>> = { auto: 'Auto', light: 'Light', dark: 'Dark' };

function ViewLink(props: {
  readonly route: Route;
  readonly current: boolean;
  readonly children: (VNode | string | false)[] | string;
}): VNode {
  return (
    <a class="link" href={routeHref(props.route)} {...(props.current && { 'aria-current': 'page' })}>
      {props.children}
    </a>
  );
}
