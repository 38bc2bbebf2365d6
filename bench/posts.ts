import { setEnvironmentData } from 'node:worker_threads';

/** Key under which workers find {@link PostCounters}. */
export const POSTS_KEY = 'skein-bench-posts';

/** Memory shared with the probe in every worker. */
export type PostCounters = Int32Array<SharedArrayBuffer>;

/** Where in it is what. */
export const PLACES = { posts: 0, messages: 1, ticks: 2 } as const;

/** Arguments of Node for a process whose workers' posts are to be counted. */
export const POSTS_ARGUMENTS = ['--import', new URL('./post-probe.ts', import.meta.url).href];

/** What thread workers have posted to host and store: posts, messages in them, and ticks in which something was posted. */
export type Posts = Readonly<Record<keyof typeof PLACES, number>>;

/** Begins to count; started before Skein, so that its workers find the counters. Gives what there is since. */
export function startCounting(): () => Posts {
  const counters: PostCounters = new Int32Array(new SharedArrayBuffer(4 * Object.keys(PLACES).length));
  setEnvironmentData(POSTS_KEY, counters);
  return () => {
    const read = (place: keyof typeof PLACES): number => Atomics.load(counters, PLACES[place]);
    return { posts: read('posts'), messages: read('messages'), ticks: read('ticks') };
  };
}
