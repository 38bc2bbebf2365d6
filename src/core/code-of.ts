/** The code of an error of the system or of Node, such as `ENOENT`; undefined of whatever else was thrown. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
