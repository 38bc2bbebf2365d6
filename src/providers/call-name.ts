/**
 * A called tool's name as providers take it back. No tool's own name has other characters (`toolNames`), so no two
 * of them become one. A name that a model made up may (`multi_tool_use.parallel`): it would be refused ever after.
 */
export function callName(name: string): string {
  return name.replaceAll(/[^\w-]/g, '_').slice(0, 64);
}
