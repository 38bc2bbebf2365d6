import { dottedId } from '../core/dotted-id.ts';
import { SkeinError } from '../core/errors.ts';
import { PRIMARY_ACTIONS, type PrimaryAction } from '../core/item.ts';
import { compileCapabilities, type Capabilities } from '../items/capability.ts';
import { offersPrimary } from './primary-offer.ts';
import type { PrimaryResult } from './primary-result.ts';

/** What an MCP client may do without being allowed more: find, read, and have directives filled in. Nothing of it acts. */
const DEFAULT_RIGHTS: readonly string[] = [
  'rye.search.*',
  'rye.load.*',
  'rye.fetch.*',
  'rye.execute.directive.*',
  'rye.execute.knowledge.*',
];

/** The rights of MCP clients. */
export type McpRights = {
  readonly allows: Capabilities['allows'];
  /** Whether there is any right for a primary action. */
  offers(primary: PrimaryAction): boolean;
};

/**
 * The default rights and what is allowed beyond them.
 *
 * @throws SkeinError `invalid_argument` for a capability that can't be one
 */
export function createMcpRights(allowed: readonly string[]): McpRights {
  const patterns = [...DEFAULT_RIGHTS, ...allowed.map(readCapability)];
  const capabilities = compileCapabilities(patterns);
  return {
    allows: (primary, kind, id) => capabilities.allows(primary, kind, id),
    offers: (primary) => offersPrimary(primary, [patterns]),
  };
}

const CAPABILITY = new RegExp(`^rye\\.(?:${PRIMARY_ACTIONS.join('|')}|\\*)(?:\\.[\\w.*-]+)?$`);

/** Ids may be written with slashes. */
function readCapability(text: string): string {
  const capability = dottedId(text);
  if (CAPABILITY.test(capability)) return capability;
  const message = `--allow ${JSON.stringify(text)} is no capability such as rye.execute.tool.rye.file-system.*`;
  throw new SkeinError('invalid_argument', message);
}

/** The refusal of a whole primary action. */
export function notOffered(primary: PrimaryAction): PrimaryResult {
  const capability = `rye.${primary}.*`;
  const error = `There is no right to ${primary} anything`;
  const denial = { status: 'error', code: 'permission_denied', type: null, item_id: null } as const;
  return withHint({ ...denial, error, detail: { capability } });
}

/** A refusal that says which option of `skein mcp` would have allowed it. */
export function withHint(result: PrimaryResult): PrimaryResult {
  if (result.status === 'success' || result.code !== 'permission_denied') return result;
  const capability = result.detail?.['capability'];
  if (typeof capability !== 'string') return result;
  return { ...result, error: `${result.error}; start skein mcp with --allow '${capability}' to allow it` };
}
