/** A provider's count as a whole number; anything else counts as nothing, or as what was known before. */
export function tokenCount(reported: unknown, before = 0): number {
  return typeof reported === 'number' && Number.isFinite(reported) && reported >= 0 ? Math.ceil(reported) : before;
}
