import type { Failure } from '../core/errors.ts';
import type { ItemKind, PrimaryAction } from '../core/item.ts';
import type { ToolCaller } from '../core/tool.ts';
import { capabilityName } from '../items/capability.ts';
import type { PrimaryRequest } from './primary-request.ts';

/**
 * What a caller lacks for a request, if anything (docs/adr/0010-primary-actions.md). Copying an item changes what a space
 * trusts, as signing does, and needs the same right. A search is decided result by result.
 */
export function findDenial(request: PrimaryRequest, { allows }: Pick<ToolCaller, 'allows'>): Failure | undefined {
  if (request.primary === 'search') return undefined;
  const { primary, kind, id } = request;
  const copies = primary === 'load' && request.destination !== undefined;
  const needed: readonly PrimaryAction[] = copies ? ['load', 'sign'] : [primary];
  const lacking = needed.find((right) => !allows(right, kind, id));
  return lacking && denial(capabilityName(lacking, kind, id));
}

/** What a caller lacks that is shown nothing of what it searched for. */
export function searchDenial(kind: ItemKind | undefined): Failure {
  return denial(kind === undefined ? 'rye.search.*' : `rye.search.${kind}.*`);
}

/** That a caller lacks a capability. */
export function denial(capability: string): Failure {
  return {
    code: 'permission_denied',
    message: `This needs the capability ${capability}, which the caller does not have`,
    detail: { capability },
  };
}
