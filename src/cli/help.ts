/** What `skein --help` prints. */
export const HELP = `skein - runs directives as LLM threads, inside their limits and budget

Usage
  skein run DIRECTIVE [options]   run a directive and wait until its thread has ended
  skein prompt DIRECTIVE [options]  the messages and tools a thread would send, and where each part is from; sends nothing
  skein commit-message [options]  a message for what is staged in git, as commit.md asks for it
  skein config show [NAME]        the configuration in force (one file of it), and where each value came from
  skein models [WORD...]          models of the configured providers, what their tokens cost, and the tiers that mean them
  skein status                    threads by status, what they cost, the database, and the runtime with its workers
  skein list [options]            threads, newest first
  skein tail ID [options]         the last events of a thread, then what happens, until it has ended
  skein transcript ID [options]   all that is logged of a thread
  skein export ID...|--all [options]   threads with their records and all that is logged of them
  skein cancel ID [--tree]        end a thread, and those below it as the child policy says; --tree: all below it
  skein resume ID [options]       go on with a suspended thread, or after one that has ended
  skein replay ID [--to SEQ]      what a thread's log comes to at an event, compared with what is stored of it
  skein fork ID --at SEQ [options]  begin another thread with what a thread had said and heard up to an event
  skein doctor [--repair]         check the invariants of the database; exit 0 only if it is clean
  skein gc                        archive what ended long ago, as cleanup says, and give free space back
  skein threads OPERATION [options]   the operations on threads by the names that models have
  skein approvals list|grant|deny [ID]   what suspended threads ask of people, and the answers
  skein item list [options]       every item of the spaces, and what is wrong with it
  skein item show ID|FILE         what was read of an item, where it is from, and how a tool is run
  skein item search WORDS         find items: all of the words, a "phrase", begin*, -without, this OR that
  skein sign ID... [options]      check items against the schema of their kind, and sign their files with your key
  skein verify [ID...] [options]  how items stand with their signatures; all of them without an id
  skein keys init                 make your signing key
  skein keys list [options]       the keys that are trusted, and whose items they vouch for
  skein keys trust FILE|PEM       trust somebody's public key; with --project FOLDER only in that project
  skein mcp [options]             serve the primary actions to MCP clients, over stdin and stdout, or over HTTP
  skein llm-server [FILE] [options]  serve scripts as models over HTTP, as OpenAI, Anthropic and Gemini do
  skein ui [options]              the dashboard: a page on this machine with the threads, live
  skein --help                    this text
  skein --version                 the version

Options of run
  --input NAME=VALUE    an input of the directive; once for each
  --model MODEL         provider:model, a model id or a tier (default: what the directive says)
  --project FOLDER      root of the project: its .ai folder has the directives and the log (default: here)
  --script NAME=FILE    a script for the scripted model, which is then called scripted:NAME
  --workers N           thread workers (default: one less than the processors)
  --record FOLDER       write every request to a model and its answer there, without secrets
  --replay FOLDER       answer them from there: no model is called, no key is needed
  --json                print the ending as one line of JSON

Options of prompt
  --input NAME=VALUE, --model MODEL, --project FOLDER, --script NAME=FILE   as for run
  --json                print one line of JSON

Options of commit-message
  --model MODEL, --project FOLDER, --script NAME=FILE, --json   as for run

Options of replay, fork and doctor
  --to SEQ              replay: the last event that counts; 0 is before the first one (default: all of them)
  --at SEQ              fork: the last event that counts
  --input NAME=VALUE    fork: an input that is another one than the thread's; once for each
  --script NAME=FILE, --workers N  fork, as for threads: where no runtime holds the project, the new thread runs here
  --repair              doctor: put right what can be without losing data; no runtime may hold the project
  --project FOLDER, --json         as for run

Options of config
  --project FOLDER      root of the project (default: here); a folder without .ai has what ships and what is the user's
  --json                print one line of JSON: {config, origins}, origins being the file of each value by its path

Options of models
  --project FOLDER, --json   as for config; --json prints an array

Options of status, list, tail, transcript, export, cancel, resume and gc
  --project FOLDER, --json        as for run; --json prints one line, of a log one for each event
  list: --status NAME,NAME        suspended, error, ...; --directive ID, --limit N (default: 100), --after ID,
                                  --archived: archived ones as well
  tail: --lines N                 events of before (default: 10); --types NAME,NAME
  transcript: --format FORMAT     text, md or jsonl (default: text); --types NAME,NAME
  export: --format FORMAT         jsonl or md (default: jsonl)
  resume: --message TEXT          said to its model; --limits NAME=N,NAME=N: turns, tokens, spend, spawns, duration_seconds
  --script NAME=FILE, --workers N for cancel and resume where no runtime holds the project: it happens here, then

Operations of threads
  list-threads                    the same as skein list
  list-active                     ids of what is queued or runs
  get-status ID                   status, cost, parent, and what a suspended thread waits for
  list-children ID                --limit N of them (default: 100), those that follow --after ID
  get-chain ID                    predecessors and successors
  read-transcript ID              the last events: --tail N (default: 50), --types NAME,NAME, --max-bytes N
  chain-search ID TEXT            where a text stands in the transcripts of a chain; --limit N (default: 20)
  aggregate-results ID...         results and cost, and the cost of all together
  wait-threads ID...              until all have ended or are suspended; --timeout SECONDS for all together
  read-events ID                  events in order, whole, a page at a time: --after N, --types, --max-bytes N, --wait SECONDS
  view-runtime                    how busy the runtime is
  cancel-thread ID                the same as skein cancel; kill-thread ID: as skein cancel --tree
  resume-thread ID [TEXT]         the same as skein resume, with a message to its model
  suspend-thread ID               have it stop at its next step, until it is resumed
  inspect-thread ID               the state of its machine
  handoff-thread ID               have a successor take over at its next step
  --project FOLDER, --json        as for run; --json prints the result as one line, with names as models have them
  --script NAME=FILE, --workers N for resume-thread where no runtime holds the project: it runs here, then

Requests of approvals
  list                  what waits for an answer; --status pending|granted|denied|cancelled|all, --thread ID, --limit N
  grant ID              new maximums: --spend USD, --turns N, --tokens N, --duration SECONDS; the thread goes on
  deny ID               the thread ends with an error
  --by NAME             who answers (default: your user name); --message TEXT is said to the model or in the error
  --project FOLDER, --json, --script NAME=FILE, --workers N as for threads: where no runtime holds the project, the thread
                        goes on here, and how it ends is the exit code

Options of item, sign, verify and keys
  --kind KIND           directive, tool or knowledge, where items of several kinds have the id
  --space SPACE         project, user or system (default: the first that has the item; list, search, verify: all)
  --category CATEGORY   search: this category and those below it
  --tag TAG             search: with this tag; once for each
  --limit N             search: at most so many, up to 100 (default: 10)
  --project FOLDER      root of the project (default: here)
  --json                print one line of JSON; not for sign

Options of mcp
  --allow CAPABILITY    allow more than to find and read items, to fill directives in, and dry runs, as in
                        --allow 'rye.execute.tool.rye/file-system/*'; once for each
  --http                serve HTTP on 127.0.0.1 with a bearer token: that of SKEIN_MCP_TOKEN, or one that is printed
  --port N              port of --http (default: any that is free)
  --project FOLDER      root of the project (default: here)
  --script NAME=FILE    a script for the scripted model, as for run; threads need rye.execute.tool.rye.agent.threads.*

Options of ui
  --port N              port on 127.0.0.1 (default: any that is free)
  --no-open             print the address and open no browser
  --json                print {"url", "origin", "token"} as one line of JSON when it listens, and open no browser
  --project FOLDER      root of the project (default: here)

Options of llm-server
  FILE                  a script that answers for every model
  --script NAME=FILE    a script that answers for the model NAME; once for each
  --port N              port on 127.0.0.1 (default: any that is free)
  --json                print {"origin"} as one line of JSON when it listens

A signature covers the whole file; any later change makes it wrong, and a wrong one is always refused. trust in agent.yaml
says what becomes of items without one.

The outputs (or else the last text) go to stdout; progress and errors go to stderr: a live tree on a terminal, else one
line for each change of state. NO_COLOR is honoured. Ctrl-C or SIGTERM lets threads end for two seconds and suspends the
rest; a second one stops at once.

Exit codes
  0    done; the thread completed, or was suspended by Ctrl-C or SIGTERM
  1    the thread ended in an error, was cancelled, or is suspended otherwise; verify: an item is refused
  2    the command line is wrong
  3    refused before anything was done: unknown or refused item, missing input, project in use, no usable key ...
  70   a bug in Skein
  130  stopped at once by a second Ctrl-C or SIGTERM, or by one before anything ran
`;
