import { describeFailure, type Failure } from '../core/errors.ts';
import type { ToolItem } from '../core/item.ts';
import { asText } from '../core/path.ts';
import { isRecord } from '../core/record.ts';
import { isChainLink } from '../items/chain-link.ts';
import type { ChainView } from './item-chain.ts';
import type { Fact } from './item-facts.ts';

/** What is known of a tool beside its item. */
export type ToolDetails = {
  /** Absent for a runtime or primitive, which is called by none. */
  readonly chain: ChainView | Failure | undefined;
  readonly declared: boolean;
};

/** What a tool says beyond what every item has, and how it is run. */
export function toolFacts(tool: ToolItem, { chain, declared }: ToolDetails): readonly Fact[] {
  if (!declared) return [['no tool', 'the file states no contract (__tool_type__, …), so it is no tool of its own']];
  const { toolType, executorId, config, idempotent, timeoutSeconds, inputSchema } = tool;
  const head: readonly Fact[] = [
    ['tool type', toolType || 'not said'],
    ['executor', ...(executorId === '' ? [] : [executorId])],
  ];
  if (isChainLink(tool)) return [...head, ['settings', ...settingLines(config)]];
  return [
    ...head,
    ...chainFacts(chain),
    ['idempotent', ...(idempotent ? ['yes'] : [])],
    ['timeout', ...(timeoutSeconds === undefined ? [] : [`${timeoutSeconds} s`])],
    ['parameters', ...parameterLines(inputSchema)],
  ];
}

function chainFacts(chain: ChainView | Failure | undefined): readonly Fact[] {
  if (chain === undefined) return [];
  if ('code' in chain) return [['CAN NOT RUN', describeFailure(chain)]];
  const links = chain.chain.map(({ item_id: id, space }) => `${id} (${space})`);
  return [
    ['chain', links.join(' → ')],
    ['runs with', ...settingLines(chain.settings)],
  ];
}

function settingLines(settings: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(settings).map(([name, value]) => `${name}: ${asText(value)}`);
}

/** One line for each property; a schema with other parts as it is. */
function parameterLines(schema: ToolItem['inputSchema']): readonly string[] {
  const { type: _, properties = {}, required, additionalProperties: open, ...others } = schema;
  if (!isRecord(properties) || Object.keys(others).some((key) => !QUIET.has(key))) return [asText(schema)];
  const names = Array.isArray(required) ? required : [];
  const lines = Object.entries(properties).map(([name, value]) => {
    return parameterLine(name, isRecord(value) ? value : {}, names.includes(name));
  });
  return open === false ? [...lines, 'and no others'] : lines.length === 0 ? ['none declared'] : lines;
}

function parameterLine(name: string, property: Readonly<Record<string, unknown>>, required: boolean): string {
  const { type = 'any', description, ...rules } = property;
  const more = Object.entries(rules).map(([rule, limit]) => `, ${rule} ${JSON.stringify(limit)}`);
  const types = Array.isArray(type) ? type.map(asText).join(' or ') : asText(type);
  const head = `${name} (${types}, ${required ? 'required' : 'optional'}${more.join('')})`;
  return typeof description === 'string' ? `${head}: ${description}` : head;
}

/** Parts of a schema that say nothing about a call. */
const QUIET: ReadonlySet<string> = new Set(['$schema', '$id', '$comment', 'title', 'description']);
