/** The name of a machine's state, as `running.calling`; undefined if there is none. */
export function stateName(value: unknown): string | undefined {
  if (typeof value === 'string' || value === undefined) return value;
  return Object.entries(value as Record<string, unknown>)
    .map(([outer, inner]) => `${outer}.${stateName(inner) ?? ''}`)
    .join(',');
}
