/** Whether a value from JSON has more than so many levels of lists and objects; it looks no deeper. */
export function nestsDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  for (const inner of Object.values(value)) if (nestsDeeper(inner, depth - 1)) return true;
  return false;
}
