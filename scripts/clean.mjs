// Removes the build output, so that what is gone from the sources is gone from dist.
import { rmSync } from 'node:fs';

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
