import { render } from 'preact';
import { createApiClient } from './live/api-client.ts';
import { createDashboard, type Dashboard } from './live/dashboard.ts';
import { UNKNOWN } from './live/page-state.ts';
import { createStore } from './live/store.ts';
import { takeToken, watchToken, type TokenPlace } from './model/session-token.ts';
import { App } from './views/app.tsx';
import { NoToken } from './views/no-token.tsx';

const root = document.getElementById('app');
const place = (): TokenPlace => ({
  hash: location.hash,
  kept: sessionStorage,
  replaceHash: (hash) => history.replaceState(null, '', hash),
});
const token = takeToken(place());
watchToken(globalThis, place, () => location.reload());
if (root) render(token === undefined ? <NoToken /> : <App dashboard={start(token)} />, root);

function start(token: string): Dashboard {
  return createDashboard({
    api: createApiClient(token, (...request) => fetch(...request)),
    store: createStore(UNKNOWN, (run) => requestAnimationFrame(run)),
    page: document,
    wait: waitFor,
    now: () => Date.now(),
  });
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
