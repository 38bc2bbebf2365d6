/** What `skein --help` prints. */
export const HELP = `skein - runs directives as LLM threads, inside their limits and budget

Usage
  skein run DIRECTIVE [options]   run a directive and wait until its thread has ended
  skein --help                    this text
  skein --version                 the version

Options of run
  --input NAME=VALUE    an input of the directive; once for each
  --model MODEL         provider:model, a model id or a tier (default: what the directive says)
  --project FOLDER      root of the project: its .ai folder has the directives and the log (default: here)
  --script NAME=FILE    a script for the scripted model, which is then called scripted:NAME
  --workers N           thread workers (default: one less than the processors)
  --json                print the ending as one line of JSON

The outputs (or else the last text) go to stdout; progress and errors go to stderr: a live tree on a terminal, else one
line for each change of state. NO_COLOR is honoured. Ctrl-C suspends what runs and stops; a second one stops at once.

Exit codes
  0    the thread completed
  1    the thread ended in an error, was cancelled, or is suspended
  2    the command line is wrong
  3    refused before a thread started: unknown directive, missing input, project in use, Node too old ...
  70   a bug in Skein
  130  interrupted
`;
