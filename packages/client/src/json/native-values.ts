import { prefixes, xsd } from '@ldes-live/rdf-stream/vocabulary';
import type { NodeObject } from 'jsonld';

type ValueObject = { readonly '@type'?: string; readonly '@value': string };
type Expanded = ValueObject | { readonly '@list': readonly Expanded[] };
type Compact = (node: NodeObject) => Promise<object>;

const FLOATS: readonly string[] = [xsd.double, `${prefixes.xsd}float`];
const DECIMALS: readonly string[] = [
  ...['decimal', 'integer', 'long', 'int', 'short', 'byte', 'nonNegativeInteger', 'positiveInteger'],
  ...['unsignedLong', 'unsignedInt', 'unsignedShort', 'unsignedByte', 'nonPositiveInteger', 'negativeInteger'],
].map((name) => prefixes.xsd + name);

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

// A double holds any decimal of 15 digits.
const EXACT_DIGITS = 15;

/**
 * Numbers and booleans in expanded JSON-LD as those of JavaScript, where these hold them exactly and the context does
 * not state their type: a property that it states a type for would otherwise lose its name.
 *
 * @param compact - compacts by the context in question
 */
export async function nativeValues(nodes: readonly NodeObject[], compact: Compact): Promise<NodeObject[]> {
  const typed = new Map<string, Promise<boolean>>();
  const isTyped = (property: string, value: ValueObject, isListed: boolean) => {
    const key = `${property} ${value['@type']} ${isListed}`;
    const known = typed.get(key) ?? statesType(property, isListed ? { '@list': [value] } : value, compact);
    typed.set(key, known);
    return known;
  };
  const convert = async (property: string, value: Expanded, isListed = false): Promise<unknown> => {
    if ('@list' in value) return { '@list': await convertAll(property, value['@list'], true) };
    const native = nativeOf(value);
    if (native === undefined || (await isTyped(property, value as ValueObject, isListed))) return value;
    return { '@value': native };
  };
  const convertAll = async (property: string, values: readonly Expanded[], isListed = false): Promise<unknown[]> =>
    await Promise.all(values.map((value) => convert(property, value, isListed)));
  const convertNode = async (node: NodeObject): Promise<NodeObject> => {
    const entries = Object.entries(node).map(async ([property, values]) =>
      property.startsWith('@') ? [property, values] : [property, await convertAll(property, values as Expanded[])],
    );
    return Object.fromEntries(await Promise.all(entries)) as NodeObject;
  };
  return await Promise.all(nodes.map(convertNode));
}

function nativeOf({ '@type': type = '', '@value': text = '' }: Partial<ValueObject>): number | boolean | undefined {
  if (type === xsd.boolean) return BOOLEANS.get(text);
  const isFloat = FLOATS.includes(type);
  // `Number` takes much that XML Schema does not, and XML Schema has an infinity that JSON has not.
  if ((!isFloat && !DECIMALS.includes(type)) || !NUMBER.test(text)) return undefined;
  const isExact = isFloat || text.replace(/\D/g, '').length <= EXACT_DIGITS;
  return isExact && Number.isFinite(Number(text)) ? Number(text) : undefined;
}

async function statesType(property: string, value: Expanded, compact: Compact): Promise<boolean> {
  const probe = { [property]: [value] } as unknown as NodeObject;
  const { '@context': _, ...compacted } = (await compact(probe)) as Record<string, unknown>;
  // A value whose type the context states is text alone, whatever its container.
  return typeof [Object.values(compacted)[0]].flat()[0] === 'string';
}
