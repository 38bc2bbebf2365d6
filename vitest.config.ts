import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Hundreds of workers and processes load the same modules: they are compiled once, and kept where Node itself would.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache');

/** The suite of `npm test`: everything but the long forms. */
export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['dist/**', 'node_modules/**', 'test/long/**'],
    // More than there are cores: much of the suite waits for processes it has started.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // Modules keep caches, and skein/prompty its tracers, which a test that adds one removes: files can share a process.
    isolate: false,
    // What a start makes lives on: with room for it from the beginning, hundreds of workers copy it less often.
    execArgv: ['--min-semi-space-size=8'],
    // What was built runs as it is.
    server: { deps: { external: [/\/dist\//] } },
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // The machine may have others to serve.
    expect: { poll: { timeout: 10_000 } },
    reporters: process.env['CI'] ? ['default', ['json', { outputFile: 'reports/test.json' }]] : ['default'],
  },
});
