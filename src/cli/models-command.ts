import { systemClock } from '../core/clock.ts';
import type { ModelRates } from '../core/provider.ts';
import { SkeinError } from '../index.ts';
import { knownModels, type KnownModel } from '../providers/known-models.ts';
import { defineCommand, type Command } from './command.ts';
import { EXIT } from './exit-code.ts';
import { formatCount } from './format.ts';
import { openPlaces } from './item-places.ts';
import { COMMON } from './options.ts';
import { printable, printableJson } from './printable.ts';

/** `skein models [WORD...]`: the models of the configured providers (with these words in their names), and what they cost. */
export const modelsCommand: Command = defineCommand({
  name: 'models',
  takes: '[WORD...]',
  summary: 'models of the configured providers, what their tokens cost, and the tiers that mean them',
  options: COMMON,
  examples: [['skein models haiku', 'those with this in their name']],
  run({ values, positionals }, io) {
    const words = positionals.map((word) => word.toLowerCase());
    const models = knownModels(openPlaces(values.project, io).config.agent, systemClock).filter((model) =>
      words.every((word) => [model.reference, ...model.tiers].some((name) => name.toLowerCase().includes(word))),
    );
    if (words.length > 0 && models.length === 0) {
      throw new SkeinError(
        'invalid_argument',
        `No known model has ${JSON.stringify(positionals.join(' '))} in its name`,
      );
    }
    if (values.json === true) io.stdout.write(`${printableJson(models.map(toJson))}\n`);
    else io.stdout.write(toTable(models));
    return EXIT.completed;
  },
});

/** Nano-USD per token are thousandths of a USD per million tokens. */
const perMillion = (nano: number): number => Number((nano / 1000).toPrecision(15));

function ratesJson({ input, output, cacheRead, cacheWrite }: ModelRates): Record<string, number> {
  return {
    input: perMillion(input),
    output: perMillion(output),
    cache_read: perMillion(cacheRead),
    cache_write: perMillion(cacheWrite),
  };
}

function toJson({ reference, tiers, price, contextWindow, maxOutputTokens }: KnownModel): object {
  const above = price?.above?.map((step) => ({ tokens: step.tokens, ...ratesJson(step) }));
  return {
    model: reference,
    tiers,
    context_window: contextWindow,
    max_output_tokens: maxOutputTokens,
    price: price ? { ...ratesJson(price), ...(above && { above }) } : null,
  };
}

const HEAD = ['model', 'input', 'output', 'cache read', 'cache write', 'window', 'tiers'];

function toTable(models: readonly KnownModel[]): string {
  const rows = [HEAD, ...models.flatMap(toRows)];
  const widths = HEAD.map((_head, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (isNumber(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return `USD per million tokens; a tier is a name that directives and --model may use.\n\n${lines.join('\n')}\n`;
}

function isNumber(column: number): boolean {
  return column > 0 && column < HEAD.length - 1;
}

function toRows({ reference, tiers, price, contextWindow }: KnownModel): string[][] {
  const steps = price?.above ?? [];
  return [
    [printable(reference), ...ratesCells(price), formatCount(contextWindow), printable(tiers.join(', '))],
    ...steps.map((step) => [`  above ${formatCount(step.tokens)} tokens`, ...ratesCells(step), '', '']),
  ];
}

function ratesCells(rates: ModelRates | undefined): string[] {
  if (!rates) return ['unknown', '', '', ''];
  return Object.values(ratesJson(rates)).map(String);
}
