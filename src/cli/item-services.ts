import { SYSTEM_DIR } from '../config/default-places.ts';
import { systemClock } from '../core/clock.ts';
import { describeFailure } from '../index.ts';
import { createItemServices, type ItemServices } from '../tools/item-services.ts';
import type { CliIo } from './io.ts';
import type { ItemPlaces } from './item-places.ts';
import { printable } from './printable.ts';

/** Opens the items of a project for a command, which closes them; what is wrong around them is said on stderr. */
export function openItemServices(places: ItemPlaces, { env, stderr }: CliIo): ItemServices {
  return createItemServices({
    ...places,
    systemDir: SYSTEM_DIR,
    env,
    clock: systemClock,
    onProblem: (failure) => void stderr.write(`warning: ${printable(describeFailure(failure))}\n`),
  });
}
