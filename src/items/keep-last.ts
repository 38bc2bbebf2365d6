/** Puts a value into a map as its newest. Of more than `max` the oldest goes. */
export function keepLast<Value>(
  values: Map<string, Value>,
  { key, value, max }: { readonly key: string; readonly value: Value; readonly max: number },
): void {
  values.delete(key);
  values.set(key, value);
  if (values.size > max) values.delete(values.keys().next().value ?? key);
}
