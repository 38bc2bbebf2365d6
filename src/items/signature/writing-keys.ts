import { messageOf, SkeinError } from '../../core/errors.ts';

/** Writes into a folder of keys. @throws SkeinError `key_unusable`: that can't be done there */
export function writingKeys(folder: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    throw new SkeinError('key_unusable', `Keys can't be written there: ${messageOf(cause)}`, {
      where: { file: folder },
      cause,
    });
  }
}
