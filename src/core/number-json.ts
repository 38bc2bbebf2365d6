/** The JSON of a number, which has no NaN and no infinity. */
export function numberJson(value: number): string {
  return Number.isFinite(value) ? `${value}` : 'null';
}
