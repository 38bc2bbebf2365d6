import { spawn } from 'node:child_process';

export const __version__ = '1.1.0';
export const __tool_type__ = 'node';
export const __executor_id__ = 'rye/core/runtimes/node_runtime';
export const __category__ = 'rye';
// A capability on this tool is one on everything the account may do: a command line can't be kept inside the project.
export const __tool_description__ =
  'Run a command line with bash in the project root. Gives exit code, stdout and stderr; what it leaves running is ended.';
export const __idempotent__ = false;
export const __timeout_seconds__ = 630;

export const CONFIG_SCHEMA = {
  type: 'object',
  properties: {
    command: { type: 'string', minLength: 1, maxLength: 100000, description: 'For example npm test 2>&1 | tail' },
    timeout_seconds: { type: 'number', minimum: 0.1, maximum: 600, default: 60, description: 'When it is killed.' },
  },
  required: ['command'],
  additionalProperties: false,
};

/** Linux starts nothing with a longer word. */
const MAX_COMMAND_BYTES = 128 * 1024 - 1;
/** Of longer output the first and the last part are kept, each half of this; less if both would not fit as JSON. */
const MAX_KEPT_BYTES = 40 * 1024;
/** Of both outputs as JSON, which is what a model gets: of a longer answer it would miss the end. */
const MAX_OUTPUT_CHARS = 95_000;
/** A command that prints more than this is killed. */
const MAX_PRINTED_BYTES = 32 * 1024 * 1024;
/** How long after bash itself has ended something it started may hold its output open. */
const DRAIN_MS = 200;

export function execute({ command, timeout_seconds = 60 }, projectPath) {
  if (command.includes('\0')) throw new Error('the command contains a NUL character');
  refuseTooLong(Buffer.byteLength(command));
  return run(command, { cwd: projectPath, timeoutMs: timeout_seconds * 1000 });
}

function refuseTooLong(bytes) {
  if (bytes <= MAX_COMMAND_BYTES) return;
  const fits = `a command line may have ${MAX_COMMAND_BYTES}; write what is long to a file first`;
  throw new Error(`the command has ${bytes} bytes: ${fits}`);
}

/**
 * Kills bash alone: what it started belongs to the process group of this call, which the runtime ends as soon as there is
 * a result.
 */
function run(command, { cwd, timeoutMs }) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const child = spawn('bash', ['-c', command], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let stoppedBy = null;
  const stop = (reason) => {
    stoppedBy ??= reason;
    child.kill('SIGKILL');
  };
  let left = MAX_PRINTED_BYTES;
  const count = (bytes) => (left -= bytes) < 0 && stop('output');
  const stdout = keepEnds(child.stdout, count);
  const stderr = keepEnds(child.stderr, count);
  const timers = [setTimeout(stop, timeoutMs, 'timeout')];
  const finish = () => {
    for (const timer of timers) clearTimeout(timer);
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
    const { exitCode: exit_code, signalCode: signal } = child;
    resolve({ exit_code, signal, stopped_by: stoppedBy, ...fitting(stdout, stderr) });
  };
  child.on('error', (error) => reject(new Error(`bash can not be started: ${error.message}`, { cause: error })));
  child.on('exit', () => timers.push(setTimeout(finish, DRAIN_MS)));
  child.on('close', finish);
  return promise;
}

/** Both texts, each with as many bytes as make them fit. */
function fitting(stdout, stderr) {
  for (let most = MAX_KEPT_BYTES; ; most = Math.floor(most * 0.9)) {
    const texts = { stdout: stdout(most), stderr: stderr(most) };
    if (JSON.stringify(texts).length <= MAX_OUTPUT_CHARS) return texts;
  }
}

/** Reads a stream to its end and keeps both ends of it; gives a function for its text, of at most so many bytes. */
function keepEnds(stream, count) {
  const half = MAX_KEPT_BYTES / 2;
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  let leftOut = 0;
  stream.on('data', (chunk) => {
    const fits = half - head.length;
    if (fits > 0) head = Buffer.concat([head, chunk.subarray(0, fits)]);
    tail = Buffer.concat([tail, chunk.subarray(fits)]);
    leftOut += Math.max(0, tail.length - half);
    tail = tail.subarray(-half);
    count(chunk.length);
  });
  return (most) => {
    const kept = Buffer.concat([head, tail]);
    if (leftOut === 0 && kept.length <= most) return kept.toString('utf8');
    const shown = Math.floor(most / 2);
    const first = withoutHalfAtEnd(kept.subarray(0, shown));
    const last = withoutHalfAtStart(kept.subarray(-shown));
    const missing = leftOut + kept.length - first.length - last.length;
    return `${first.toString('utf8')}\n[${missing} bytes left out here]\n${last.toString('utf8')}`;
  };
}

/** Without a character of which only the beginning is there; what is no UTF-8 stays. */
function withoutHalfAtEnd(bytes) {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back];
    if (isInside(byte)) continue;
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return size > back ? bytes.subarray(0, -back) : bytes;
  }
  return bytes;
}

/** Without a character of which only the end is there; it has at most three bytes. */
function withoutHalfAtStart(bytes) {
  let start = 0;
  while (start < 3 && isInside(bytes[start])) start += 1;
  return bytes.subarray(start);
}

/** Whether a byte continues a character. */
function isInside(byte) {
  return byte >= 0x80 && byte < 0xc0;
}
