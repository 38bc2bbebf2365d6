/**
 * Names of the headers in `OPENAI_CUSTOM_HEADERS` or `ANTHROPIC_CUSTOM_HEADERS`, spelt as there. The SDKs read these
 * variables from the process by themselves and send the headers to every server, also to one that a project brings: each is
 * to be unset where a client is made. So the process is read here, too, and not what a runtime was given as its environment.
 */
export function customHeaderNames(variable: string): readonly string[] {
  const lines = (process.env[variable] ?? '').split('\n').filter((line) => line.includes(':'));
  return lines.map((line) => line.slice(0, line.indexOf(':')).trim());
}
