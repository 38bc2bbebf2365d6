import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const root = fileURLToPath(new URL('src/inspect/ui', import.meta.url));
const outDir = fileURLToPath(new URL('dist/ui', import.meta.url));

/** The dashboard's page: from src/inspect/ui to dist/ui, in files of their own, since its policy allows nothing inline. */
export default defineConfig({
  root,
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir,
    emptyOutDir: true,
    // The first that know `light-dark()` and `Map.groupBy`, so that nothing has to stand for them.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
});
