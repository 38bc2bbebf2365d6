import { parentPort } from 'node:worker_threads';
import * as comlink from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import { lookUp } from '../workload.ts';

/** What the worker answers over Comlink. */
export type ToolServer = { readonly lookUp: typeof lookUp };

if (!parentPort) throw new Error('tool-server runs as a worker thread only');
comlink.expose({ lookUp } satisfies ToolServer, nodeEndpoint(parentPort));
