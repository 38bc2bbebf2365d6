// Runs one call of a node tool: the request is JSON on stdin, the reply is JSON on fd 3; stdout and stderr are the tool's.
import { readFileSync, writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const REPLY_FD = 3;

// What is printed waits for whoever reads it: in a loop that never pauses it would pile up here, and no limit would see it. Most
// tools print nothing, so no stream is made before somebody asks for it.
for (const name of ['stdout', 'stderr']) {
  const made = Object.getOwnPropertyDescriptor(process, name);
  Object.defineProperty(process, name, {
    ...made,
    get() {
      const stream = made.get.call(process);
      stream._handle?.setBlocking?.(true);
      return stream;
    },
  });
}

const { file, params, project_path: projectPath } = JSON.parse(readFileSync(0, 'utf8'));
send(await call());
// Timers, sockets and servers the tool left open must not keep the call from ending.
process.exit(0);

async function call() {
  try {
    const tool = await import(pathToFileURL(file).href);
    const execute = tool.execute ?? tool.default?.execute;
    if (typeof execute !== 'function') throw new Error('the file does not export a function named execute');
    return JSON.stringify({ ok: true, value: (await execute(params, projectPath)) ?? null });
  } catch (error) {
    console.error(error);
    return JSON.stringify({ ok: false, error: error instanceof Error ? describe(error) : String(error) });
  }
}

function describe(error) {
  return error.name && error.name !== 'Error' ? `${error.name}: ${error.message}` : error.message;
}

function send(text) {
  const bytes = Buffer.from(text);
  for (let sent = 0; sent < bytes.length;) sent += writeSync(REPLY_FD, bytes, sent);
}
