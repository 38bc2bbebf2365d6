import { hash } from 'node:crypto';

/** Longest name every provider accepts. */
const MAX_NAME = 64;

/**
 * Names for tools as a model sees them, by id: `rye/file-system/read` → `rye_file_system_read`. Where ids meet in one
 * name, or a name is reserved or too long, each gets a hash of its id as a suffix, so a name means the same tool
 * whatever else is there, except that a clash changes the plain one. The result does not depend on the ids' order.
 */
export function toolNames(ids: readonly string[], reserved: readonly string[]): ReadonlyMap<string, string> {
  const unique = [...new Set(ids)].toSorted();
  const uses = new Map<string, number>(reserved.map((name) => [name, 1]));
  for (const id of unique) uses.set(flatten(id), (uses.get(flatten(id)) ?? 0) + 1);
  const taken = new Set(uses.keys());
  return new Map(
    unique.map((id) => {
      const plain = flatten(id);
      return [id, uses.get(plain) === 1 && plain.length <= MAX_NAME ? plain : suffixed(id, taken)];
    }),
  );
}

function flatten(id: string): string {
  const name = id.replace(/[^A-Za-z0-9_]/g, '_');
  // Gemini wants a letter or underscore first.
  return /^[0-9]/.test(name) ? `_${name}` : name;
}

function suffixed(id: string, taken: Set<string>): string {
  const digest = hash('sha256', id);
  for (let length = 6; length < digest.length; length += 2) {
    const name = `${flatten(id).slice(0, MAX_NAME - length - 1)}_${digest.slice(0, length)}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
  // Not reached for ids that differ: SHA-256 would have to collide.
  return digest;
}
