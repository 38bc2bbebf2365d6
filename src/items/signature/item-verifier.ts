import type { ItemKind } from '../../core/item.ts';
import type { ItemVerifier } from '../item-trust.ts';
import type { CommentForm, Extractors } from '../../config/extractors.ts';
import { SkeinError } from '../../core/errors.ts';
import type { TrustStore } from './trust-store.ts';
import { verifySignature } from './verify-signature.ts';

/** How the files of a kind with an extension write their signature. */
export type FormOf = (item: { readonly kind: ItemKind; readonly extension: string }) => CommentForm;

/** The forms that the extractors give for file types. */
export function formsOf(extractors: Extractors): FormOf {
  return ({ kind, extension }) => {
    const type = extractors[kind].files.find(({ id }) => id === extension);
    if (type !== undefined) return type.comment;
    throw new SkeinError('internal', `A ${kind} has the extension "${extension}", which no extractor names`);
  };
}

/** Makes the function that checks the signature of an item that was read. */
export function createItemVerifier(trust: Pick<TrustStore, 'keysFor'>, formOf: FormOf): ItemVerifier {
  return (item) => verifySignature(item.raw, formOf(item), trust.keysFor(item.space));
}
