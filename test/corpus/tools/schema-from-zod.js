import * as z from 'zod';

export const CONFIG_SCHEMA = z.toJSONSchema(z.object({ path: z.string() }));
