/*
 * The clients of `llm-server.bench.ts`, in a process of their own: sends one request over and over, first to warm up, then,
 * when told so, the ones that count.
 */
import { Pool } from 'undici';
import type { LlmLoad } from './llm-load-job.ts';

const { origin, path, body, warmUp, requests, connections }: LlmLoad = JSON.parse(process.argv[2] ?? '');
const pool = new Pool(origin, { connections, pipelining: 1 });

await send(warmUp);
process.send?.('ready');
process.once('message', () => {
  void send(requests).then(async () => {
    process.send?.('done');
    await pool.close();
    process.disconnect?.();
  });
});

async function send(count: number): Promise<void> {
  let left = count;
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const headers = { 'content-type': 'application/json' };
      const answer = await pool.request({ method: 'POST', path, headers, body });
      if (answer.statusCode !== 200) throw new Error(await answer.body.text());
      await answer.body.dump({ limit: Infinity });
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
}
