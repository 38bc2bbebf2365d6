import type { SpaceExtractors } from '../config/extractors.ts';
import type { Clock } from '../core/clock.ts';
import { SkeinError } from '../core/errors.ts';
import type { ParserRouter } from '../items/parser-router.ts';
import type { FormOf } from '../items/signature/item-verifier.ts';
import { loadSigner } from '../items/signature/private-key.ts';
import { signItem } from '../items/signature/sign-item.ts';
import { createItemValidator } from '../items/signature/validate-item.ts';
import type { Spaces } from '../items/spaces.ts';
import type { ItemSigning } from './primary-sign.ts';

/** What signing in a project works with. */
export type ItemSigningOptions = {
  readonly spaces: Pick<Spaces, 'read' | 'find'>;
  readonly router: Pick<ParserRouter, 'parse'>;
  readonly extractors: SpaceExtractors;
  readonly formOf: FormOf;
  /** Where the user's key is. */
  readonly userSpace: string | undefined;
  readonly clock: Pick<Clock, 'now'>;
};

/** Signs items of a project with the user's key, which is read anew each time. */
export function createItemSigning(options: ItemSigningOptions): ItemSigning {
  const { spaces, router, extractors, formOf, userSpace, clock } = options;
  const validate = createItemValidator(router, extractors);
  return {
    sign: (item) => {
      if (userSpace === undefined)
        throw new SkeinError('key_unusable', 'There is no user space, and so no signing key');
      const atIso = (): string => new Date(clock.now()).toISOString();
      return signItem(item, { spaces, formOf, signer: loadSigner(userSpace), atIso, validate });
    },
    check: ({ kind, id, space }) => {
      const item = spaces.read(kind, id, space);
      return { space: item.space, file: item.stamp.file, problems: validate(item) };
    },
  };
}
