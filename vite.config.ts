import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const root = fileURLToPath(new URL('src/inspect/ui', import.meta.url));
const dist = fileURLToPath(new URL('dist', import.meta.url));

/** The dashboard's page, and the workers: each of tsc's workers becomes one file, since a runtime waits for what it loads. */
export default defineConfig({
  root,
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // Both are built.
  builder: {},
  environments: {
    // From src/inspect/ui to dist/ui, in files of their own, since its policy allows nothing inline.
    client: {
      build: {
        outDir: `${dist}/ui`,
        emptyOutDir: true,
        // The first that know `light-dark()` and `Map.groupBy`, so that nothing has to stand for them.
        target: ['chrome123', 'firefox120', 'safari17.5'],
        modulePreload: { polyfill: false },
        assetsInlineLimit: 0,
        reportCompressedSize: false,
      },
    },
    // Packages stay where they are: a tool's zod is the worker's, and what a project overrides holds for workers too.
    workers: {
      consumer: 'server',
      resolve: { external: true },
      build: {
        ssr: true,
        outDir: `${dist}/workers`,
        emptyOutDir: false,
        // tsc has seen to it.
        target: 'esnext',
        minify: false,
        sourcemap: true,
        rolldownOptions: {
          input: ['thread', 'store', 'symbols'].map((name) => `${dist}/workers/${name}.worker.js`),
          output: { entryFileNames: '[name].js', chunkFileNames: 'parts/[name].js' },
        },
      },
    },
  },
});
