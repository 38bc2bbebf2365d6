import { defineConfig } from 'vitest/config';

/** The suite of `npm run test:ci-long`: kill loops, the long equivalence, the packed package. One file at a time. */
export default defineConfig({
  test: {
    include: ['test/long/**/*.test.ts'],
    fileParallelism: false,
    // What is measured is not to be the garbage of what ran before it.
    execArgv: ['--expose-gc'],
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // The machine may have others to serve.
    expect: { poll: { timeout: 10_000 } },
    reporters: process.env['CI'] ? ['default', ['json', { outputFile: 'reports/long.json' }]] : ['default'],
  },
});
