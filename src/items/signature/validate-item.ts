import type { SpaceExtractors } from '../../config/extractors.ts';
import { validateFields } from '../item-fields.ts';
import type { ParserRouter } from '../parser-router.ts';
import type { ReadItem } from '../spaces.ts';

/**
 * Makes the check that an item has to pass before it is signed (contracts, "Signature"): the fields that its extractor
 * asks for. Gives one remark for each that is not as it should be; throws what parsing throws.
 */
export function createItemValidator(
  router: Pick<ParserRouter, 'parse'>,
  extractors: SpaceExtractors,
): (item: ReadItem) => readonly string[] {
  return (item) =>
    validateFields(router.parse(item), extractors[item.space][item.kind]).map(
      ({ field, problem }) => `the field "${field}": ${problem}`,
    );
}
