import { flag, repeated, valued } from './options.ts';

/** What the bench is told, by `skein bench` and by whoever starts it in the repository. */
export const BENCH_OPTIONS = {
  threads: repeated('N', 'threads of a run, instead of the sizes of the scenario; in all its forms (not tree)'),
  turns: valued('N', 'turns of a thread (default: 3; fanout, pipeline)'),
  llm: repeated('MS', 'how long a model call takes (fanout, tree, pipeline)'),
  long: flag('also what takes long: more threads, forms and contenders'),
  runs: valued('N', 'runs of each case, of which the median counts (default: 3)'),
  contender: repeated('NAME', 'this one alone'),
  out: valued('FOLDER', 'where the results are written, as JSON and as report.html'),
  scratch: valued('FOLDER', 'where projects are made; it should be on a real disk (default: the temporary folder)'),
  profile: valued('FOLDER', 'write CPU profiles there; not for numbers, since it is slower'),
  json: flag('print {"machine", "results", "problems"} as one line of JSON'),
} as const;
