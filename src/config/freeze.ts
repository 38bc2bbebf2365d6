/** Freezes plain data through and through, parts that are already frozen on the outside included, and returns it. */
export function deepFreeze<Value>(value: Value): Value {
  freezeParts(value, new Set());
  return value;
}

function freezeParts(value: unknown, done: Set<unknown>): void {
  if (typeof value !== 'object' || value === null || done.has(value)) return;
  done.add(value);
  Object.freeze(value);
  for (const part of Object.values(value)) freezeParts(part, done);
}
