import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Dashboard } from '../live/dashboard.ts';
import type { ConnectionState } from '../live/live-connection.ts';
import { useStore } from '../live/use-store.ts';
import type { Route } from '../model/route.ts';
import { useRoute } from '../parts/use-route.ts';
import { useSingleKeys } from '../parts/use-single-keys.ts';
import { useTheme } from '../parts/use-theme.ts';
import { ApprovalsView } from './approvals-view.tsx';
import { DashboardContext } from './context.ts';
import { HelpDialog } from './help-dialog.tsx';
import { NoToken } from './no-token.tsx';
import { NoticeLine } from './notice-line.tsx';
import { OverviewView } from './overview-view.tsx';
import { SearchView } from './search-view.tsx';
import { useShortcuts } from './shortcuts.ts';
import { ThreadView } from './thread-view.tsx';
import { TopBar } from './top-bar.tsx';
import { TreeView } from './tree-view.tsx';

/** The whole page: a bar above, the tree at the left, what was chosen at the right. */
export function App({ dashboard }: { readonly dashboard: Dashboard }): VNode {
  const route = useRoute();
  const { theme, next } = useTheme();
  const [isHelping, setHelping] = useState(false);
  const { areOn, setOn } = useSingleKeys();
  useShortcuts({ route, areOn, help: () => setHelping(true), theme: next });
  const { id: shown, at } = route.view === 'thread' ? route : NO_THREAD;
  useEffect(() => dashboard.show(shown, at), [shown, at]);
  const isRefused = useStore(dashboard.store, ({ connection }) => isOfAnother(connection));
  if (isRefused) return <NoToken />;
  return (
    <DashboardContext.Provider value={dashboard}>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to the content
      </a>
      <TopBar route={route} theme={theme} keys={areOn} onTheme={next} onHelp={() => setHelping(true)} />
      <div class={`panes panes-${route.view}`}>
        <nav class="tree-pane" aria-label="Threads">
          <TreeView selected={shown} />
        </nav>
        <main id="main" class="main-pane" tabIndex={-1}>
          <Chosen route={route} keys={areOn} />
        </main>
      </div>
      <NoticeLine />
      {isHelping && <HelpDialog keys={areOn} onKeys={setOn} onClose={() => setHelping(false)} />}
    </DashboardContext.Provider>
  );
}

const NO_THREAD: { readonly id?: undefined; readonly at?: undefined } = {};

/** The page's key is that of a server that was here before. */
function isOfAnother(connection: ConnectionState): boolean {
  return connection.kind === 'lost' && connection.failure.code === 'permission_denied';
}

function Chosen({ route, keys }: { readonly route: Route; readonly keys: boolean }): VNode {
  switch (route.view) {
    case 'threads':
      return <OverviewView />;
    case 'thread':
      return <ThreadView key={route.id} {...route} keys={keys} />;
    case 'approvals':
      return <ApprovalsView />;
    case 'search':
      return <SearchView key={route.query} query={route.query} />;
  }
}

/** The address says what is shown, so the link must not change it. */
function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
