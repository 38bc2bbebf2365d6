#!/usr/bin/env node
import { start } from './start.ts';

await start(process, async (io) => {
  // Loaded after the Node version has been checked.
  const { dispatch } = await import('./dispatch.ts');
  return dispatch(process.argv.slice(2), io);
});
