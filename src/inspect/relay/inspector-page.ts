import { own } from '../../core/record.ts';

/** A file of the page. */
export type PageFile = { readonly body: string; readonly headers: Readonly<Record<string, string>> };

const STATELY = 'https://stately.ai';

/**
 * Makes the page that shows Stately's hosted inspector and hands it what the relay sends: to that origin alone, and to no other
 * that may come to stand in its frame. By the path of its address.
 */
export function createInspectorPage(port: number): (path: string) => PageFile | undefined {
  const files: Readonly<Record<string, readonly [type: string, body: string]>> = {
    '/': ['text/html', PAGE],
    '/page.js': ['text/javascript', SCRIPT],
    '/page.css': ['text/css', STYLE],
  };
  const headers = { ...HEADERS, 'content-security-policy': policyFor(port) };
  return (path) => {
    const [type, body] = own(files, path) ?? [];
    if (type === undefined || body === undefined) return undefined;
    return { body, headers: { ...headers, 'content-type': `${type}; charset=utf-8` } };
  };
}

function policyFor(port: number): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src ws://127.0.0.1:${port} ws://localhost:${port}`,
    `frame-src ${STATELY}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Skein in Stately's inspector</title>
<link rel="stylesheet" href="page.css">
<iframe title="Stately's inspector" sandbox="allow-scripts allow-same-origin"></iframe>
<script type="module" src="page.js"></script>
</html>
`;

const STYLE = 'html, body { height: 100%; margin: 0 }\niframe { width: 100%; height: 100%; border: 0 }\n';

/**
 * The relay tells how everything stands to whoever connects: it is connected to once the inspector listens, which says so a single
 * time. So the frame is opened when that is listened for.
 */
const SCRIPT = `const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? sessionStorage.getItem('token') ?? '';
sessionStorage.setItem('token', token);
history.replaceState(null, '', location.pathname);
const frame = document.querySelector('iframe');
const inspector = frame.contentWindow;
let relay;
addEventListener('message', ({ data, origin, source }) => {
  if (origin !== '${STATELY}' || source !== inspector || data?.type !== '@statelyai.connected') return;
  relay?.close();
  relay = new WebSocket(\`ws://\${location.host}/?token=\${token}\`);
  relay.onmessage = (message) => inspector.postMessage(JSON.parse(message.data), '${STATELY}');
});
frame.src = '${STATELY}/inspect';
`;
