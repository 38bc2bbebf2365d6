/** Rounds of so many threads, and when no further one begins: after these threads, if there is such a number, or this time. */
export type Rounds = { readonly threads: number; readonly enough?: number; readonly enoughMs: number };

/** Runs rounds one after the other, by the same rule for every contender. Returns how many there were. */
export async function runRounds(
  run: (threads: number) => Promise<unknown>,
  { threads, enough = Infinity, enoughMs }: Rounds,
): Promise<number> {
  const from = performance.now();
  let rounds = 0;
  do {
    await run(threads);
    rounds++;
  } while (rounds * threads < enough && performance.now() - from < enoughMs);
  return rounds;
}
