import { SkeinError } from './core/errors.ts';

/** Renders a Prompty template. @throws SkeinError `not_available`: rendering comes in a later version. */
export function render(): never {
  throw new SkeinError('not_available', 'Prompty rendering is not available in this version');
}

/** Renders a Prompty template. @throws SkeinError `not_available`: rendering comes in a later version. */
export function renderAsync(): never {
  return render();
}
