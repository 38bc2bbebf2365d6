import { findPackageJSON, isBuiltin } from 'node:module';
import { dirname, extname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { SkeinError, toFailure } from '../core/errors.ts';
import { realItemFile } from '../items/item-file.ts';
import { type JsImport, outlineJs } from '../items/js-scan.ts';
import { planNeighbour, type CopyPlaces, type PlannedCopy, type PlannedNeighbour } from './copy-item.ts';
import type { ActionItems, OpenedItem } from './primary-items.ts';

/** What the imports of a tool are copied by. */
export type ImportSources = {
  readonly items: Pick<ActionItems, 'open'>;
  readonly places: CopyPlaces;
  /** @throws SkeinError for an item that the caller may not copy */
  readonly mayCopy: (item: OpenedItem) => void;
};

/** More than any tool has. */
const MAX_COPIES = 100;

/**
 * What is to be copied with a tool, so that its copy can be run: the modules of its space that it imports by a relative path,
 * and those that they import. Imports are read, nothing is run: what a tool loads in another way, or one that is not JavaScript or
 * TypeScript, is not known. What is there already with the same bytes is left out.
 *
 * @throws SkeinError for a module that can't be copied, may not be, or is there already as another, and for a package that is
 * found from where the tool is and not from where its copy would be
 */
export function planImports(tool: PlannedCopy, sources: ImportSources): readonly PlannedCopy[] {
  const plans = new Map<string, PlannedNeighbour>([[tool.item.parsed.file, { ...tool, isThere: true }]]);
  for (const plan of plans.values()) {
    for (const { specifier, isDynamic } of importsOf(plan.item)) {
      if (!isRelative(specifier)) {
        if (!isDynamic) checkPackage(specifier, plan);
        continue;
      }
      const item = openImport(plan.item, { specifier, isDynamic }, sources);
      if (item === undefined || plans.has(item.parsed.file)) continue;
      if (plans.size > MAX_COPIES) throw refusal(tool.item, `more than ${MAX_COPIES} modules`, 'are too many to copy');
      const planned = planNeighbour(item, tool.to, sources.places);
      if (!planned.isThere) sources.mayCopy(item);
      plans.set(item.parsed.file, planned);
    }
  }
  return [...plans.values()].filter((plan) => !plan.isThere);
}

function importsOf({ parsed, wholeText }: OpenedItem): readonly JsImport[] {
  if (parsed.kind !== 'tool' || !/^\.[cm]?[jt]s$/.test(parsed.extension)) return [];
  // Whatever could not be read to its end was refused when it was opened.
  return outlineJs(wholeText).imports;
}

function isRelative(specifier: string): boolean {
  return /^\.\.?\//.test(specifier);
}

/** The item that is imported; undefined for one that is not there and need not be. */
function openImport(
  from: OpenedItem,
  { specifier, isDynamic }: JsImport,
  { items }: ImportSources,
): OpenedItem | undefined {
  const path = pathOf(specifier, from);
  const file = realItemFile(path);
  if (file === undefined && isDynamic) return undefined;
  if (file === undefined) throw refusal(from, specifier, 'is not there');
  const { id, space, file: importing } = from.parsed;
  const beside = relative(dirname(importing), path).split(sep).join('/');
  const named = posix.join(posix.dirname(id), beside).slice(0, -extname(path).length || undefined);
  const item = tryOpen(from, specifier, () => items.open('tool', named, space));
  // Through a link, or with a file of the same name that wins, it would be another beside the copy.
  if (item.parsed.file === file) return item;
  throw refusal(from, specifier, `is not the tool file that has the id ${named}`);
}

function pathOf(specifier: string, from: OpenedItem): string {
  return tryOpen(from, specifier, () => fileURLToPath(new URL(specifier, pathToFileURL(from.parsed.file))));
}

function tryOpen<Opened>(from: OpenedItem, specifier: string, open: () => Opened): Opened {
  try {
    return open();
  } catch (thrown) {
    const { code, message, where } = toFailure(thrown, 'invalid_argument');
    const { message: told } = refusal(from, specifier, `can't be copied with it: ${message}`);
    throw new SkeinError(code, told, { where, cause: thrown });
  }
}

function refusal({ parsed: { id, file } }: OpenedItem, what: string, why: string): SkeinError {
  return new SkeinError('invalid_argument', `"${id}" imports ${what}, which ${why}`, { where: { file } });
}

/** A package that the original would not find either is none of the copy's. */
function checkPackage(specifier: string, { item, root, file }: PlannedCopy): void {
  if (isBuiltin(specifier) || /^(?:[a-z][\w+.-]*:|[/#])/i.test(specifier)) return;
  const there = join(realItemFile(root) ?? root, file);
  if (isFound(specifier, item.parsed.file) && !isFound(specifier, there)) {
    throw refusal(item, `the package ${specifier}`, `is not found from ${dirname(there)}: install it there first`);
  }
}

function isFound(specifier: string, from: string): boolean {
  try {
    return findPackageJSON(specifier, pathToFileURL(from)) !== undefined;
  } catch {
    // It says why not, which whoever runs the tool is told.
    return false;
  }
}
