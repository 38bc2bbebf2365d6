import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Runtime } from '../src/index.ts';

const VIEWER =
  'const socket = new WebSocket(process.argv[1]); socket.onmessage = () => {}; socket.onclose = () => process.exit()';

/** A viewer of a runtime's machines whose CPU is not of this process; it is there when this resolves. */
export async function startInspectViewer({ inspector }: Runtime): Promise<ChildProcess> {
  const viewer = spawn(process.execPath, ['-e', VIEWER, inspector?.url ?? ''], { stdio: 'ignore' });
  await once(viewer, 'spawn');
  while (inspector?.counts().viewers === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  return viewer;
}
