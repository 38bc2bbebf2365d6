import type { ItemKind, SpaceName } from '../../core/item.ts';
import type { ItemVerifier } from '../item-trust.ts';
import type { CommentForm, SpaceExtractors } from '../../config/extractors.ts';
import { SkeinError } from '../../core/errors.ts';
import type { TrustStore } from './trust-store.ts';
import { verifySignature } from './verify-signature.ts';

/** How the files of a kind with an extension write their signature in a space. */
export type FormOf = (item: {
  readonly kind: ItemKind;
  readonly space: SpaceName;
  readonly extension: string;
}) => CommentForm;

/** The forms that the extractors give for file types. */
export function formsOf(extractors: SpaceExtractors): FormOf {
  return ({ kind, space, extension }) => {
    const type = extractors[space][kind].files.find(({ id }) => id === extension);
    if (type !== undefined) return type.comment;
    throw new SkeinError(
      'internal',
      `A ${kind} of the ${space} space has the extension "${extension}", which no extractor names`,
    );
  };
}

/** Makes the function that checks the signature of an item that was read. */
export function createItemVerifier(trust: Pick<TrustStore, 'keysFor'>, formOf: FormOf): ItemVerifier {
  return (item) => verifySignature(item.raw, formOf(item), trust.keysFor(item.space));
}
