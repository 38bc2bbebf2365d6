import type { Place } from '../place.ts';
import { listOf } from '../own-data.ts';
import type { Run } from '../run.ts';
import { plainValue } from '../written.ts';

/** Puts a value into slots: into one as it is, into several element by element. */
export function assigner(slots: readonly number[], place: Place): (run: Run, value: unknown) => void {
  const [only, ...more] = slots;
  if (only !== undefined && more.length === 0) {
    return (run, value) => {
      run.frame[only] = value;
    };
  }
  return (run, value) => {
    run.place = place;
    const elements = listOf(plainValue(value), run);
    if (elements?.length !== slots.length) throw run.refuse(`Expected a list of ${slots.length} values`);
    for (const [at, slot] of slots.entries()) run.frame[slot] = elements[at];
  };
}
