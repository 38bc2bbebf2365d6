import { bestGrant, compileGrants } from './grant-rank.ts';

/**
 * What a thread may do, for people who read its log (S3 layer 1, contracts "Tool names"): each capability pattern once, and
 * indented below it the tools that exist and are granted by it, a folder a line: `  rye/file-system/{ls,read}`. A tool stands
 * below its most specific pattern.
 */
export function capabilityTree(patterns: readonly string[], toolIds: readonly string[]): readonly string[] {
  const unique = [...new Set(patterns)];
  const grants = compileGrants(unique);
  const byPattern = Map.groupBy(toolIds.toSorted(), (id) => bestGrant(id, grants)?.pattern);
  return unique.flatMap((pattern) => [pattern, ...folderLines(byPattern.get(pattern) ?? [])]);
}

function folderLines(ids: readonly string[]): string[] {
  const folders = Map.groupBy(ids, (id) => id.slice(0, id.lastIndexOf('/') + 1));
  return [...folders].map(([folder, inside]) => {
    const names = inside.map((id) => id.slice(folder.length)).join(',');
    return inside.length === 1 ? `  ${folder}${names}` : `  ${folder}{${names}}`;
  });
}
