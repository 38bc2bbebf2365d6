import type { VNode } from 'preact';

/** Said to whoever comes without the address that `skein ui` printed. */
export function NoToken(): VNode {
  return (
    <main class="alone">
      <h1>This page needs its key</h1>
      <p>
        Open the address that <code>skein ui</code> printed. Its part behind <code>#</code> is the key to this project;
        it is kept in this tab only.
      </p>
    </main>
  );
}
