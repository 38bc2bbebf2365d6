import { defaultUserSpace, SYSTEM_DIR } from '../config/default-places.ts';
import { CONFIG_NAMES, TABLE_NAMES } from '../config/layers.ts';
import { readMergedConfig, type MergedConfig, type MergedDocument } from '../config/merged-config.ts';
import { SkeinError } from '../index.ts';
import { defineCommand, type Command } from './command.ts';
import { configYaml } from './config-yaml.ts';
import { EXIT } from './exit-code.ts';
import { projectFolder } from '../config/project-folder.ts';
import { COMMON } from './options.ts';
import { printable, printableJson, printableText } from './printable.ts';

type ShownName = keyof MergedConfig['documents'];
const NAMES: readonly ShownName[] = [...CONFIG_NAMES, ...TABLE_NAMES];

/** `skein config show [NAME]`: the merged configuration, or one file of it, and which file each value came from. */
export const configShow: Command = defineCommand({
  name: 'config show',
  takes: '[NAME]',
  words: NAMES,
  summary: 'the configuration in force (one file of it), and where each value came from',
  options: COMMON,
  examples: [
    ['skein config show resilience', 'limits, retries and the like, with the file of each value'],
    ['skein config show --json | jq .config.agent', 'for a script: {config, origins}'],
  ],
  run({ values, positionals }, io) {
    const name = readName(positionals);
    const userDir = defaultUserSpace(io.env);
    const merged = readMergedConfig({
      systemDir: SYSTEM_DIR,
      projectDir: projectFolder(values.project, io.cwd),
      ...(userDir !== undefined && { userDir }),
    });
    for (const warning of merged.warnings) io.stderr.write(`warning: ${printable(warning)}\n`);
    const shown = name === undefined ? allOf(merged) : merged.documents[name];
    const { document: config, origins } = shown;
    if (values.json === true) io.stdout.write(`${printableJson({ config, origins })}\n`);
    else io.stdout.write(printableText(configYaml(shown, SYSTEM_DIR)));
    return EXIT.completed;
  },
});

function readName(positionals: readonly string[]): ShownName | undefined {
  const [given, ...more] = positionals;
  if (more.length > 0)
    throw new SkeinError('invalid_argument', `config show takes one name; given: ${more.length + 1}`);
  if (given === undefined) return undefined;
  const wanted = given.replace(/\.yaml$/, '');
  const name = NAMES.find((each) => each === wanted || each === `extractors/${wanted}`);
  if (name !== undefined) return name;
  const message = `There is no config file ${JSON.stringify(given)}; the files are: ${NAMES.join(', ')}`;
  throw new SkeinError('invalid_argument', message);
}

/** Every file under its name; the path of a value begins with it. */
function allOf({ documents }: MergedConfig): MergedDocument {
  const origins = NAMES.flatMap((name) =>
    Object.entries(documents[name].origins).map(([path, file]) => [
      `${name}${path.startsWith('[') ? '' : '.'}${path}`,
      file,
    ]),
  );
  return {
    document: Object.fromEntries(NAMES.map((name) => [name, documents[name].document])),
    origins: Object.fromEntries(origins) as MergedDocument['origins'], // pairs of texts
  };
}
