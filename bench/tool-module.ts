import { lookUp, TOOL_DESCRIPTION } from './workload.ts';

/** The registered tool as Skein's workers load it. */
export default [
  {
    id: 'bench/look-up',
    description: TOOL_DESCRIPTION,
    idempotent: true,
    input: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
    run: lookUp,
  },
  {
    id: 'bench/numbers',
    description: 'Counts from 0',
    idempotent: true,
    input: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
    run: ({ count }: { readonly count: number }) => Array.from({ length: count }, (_, index) => index),
  },
];
