import { defineConfig } from 'vitest/config';

/** The suite of `npm run test:ci-long`: kill loops, the long equivalence, the packed package. One file at a time. */
export default defineConfig({
  test: {
    include: ['test/long/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 900_000,
    hookTimeout: 900_000,
    reporters: process.env['CI'] ? ['default', ['json', { outputFile: 'reports/long.json' }]] : ['default'],
  },
});
