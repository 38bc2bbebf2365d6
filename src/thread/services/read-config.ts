import { loadConfig } from '../../config/load.ts';
import { configPlacesSchema, type ConfigPlaces, type ConfigReading } from '../../core/control-surface.ts';
import { toFailure } from '../../core/errors.ts';

/**
 * Reads the configuration for the host, which does no such work itself (architecture): parsing takes long enough to hold
 * up others. An error would lose its code and place on the way, so it goes as data.
 */
export function readConfig(places: ConfigPlaces): ConfigReading {
  try {
    const { config, warnings } = loadConfig(configPlacesSchema.parse(places));
    return { config, warnings: [...warnings] };
  } catch (thrown) {
    const { code, message, where } = toFailure(thrown, 'invalid_config');
    return { code, message, ...(where && { where }) };
  }
}
