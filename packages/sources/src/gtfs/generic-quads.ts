import type { Quad } from '@rdfjs/types';
import {
  type DescribedNode,
  describedEntity,
  sayConcept,
  sayDecimal,
  sayDuration,
  sayInteger,
  sayNode,
  sayString,
  sayTexts,
  sayTime,
  sayType,
} from './described-node.ts';
import type { Shape, Stop, TranslatedString, TripModifications } from './generated/gtfs-realtime.ts';
import { type EnumName, type MessagePlan, type PlannedField, planOf } from './messages.ts';
import type { RtMapping } from './rt-mapping.ts';
import { genericPropertyName } from './rt-properties.ts';

/**
 * What an experimental entity says, as RDF: each field that is set as a property of its own name, each
 * message that it holds as a blank node.
 *
 * @see specs/gtfs-realtime.md GTFS-17
 */
export function genericQuads(
  entity: string,
  kind: 'Shape' | 'Stop' | 'TripModifications',
  said: Shape | Stop | TripModifications,
  mapping: RtMapping,
): Quad[] {
  const node = describedEntity(entity, mapping);
  const plan = planOf(kind);
  sayType(node, mapping.term(kind));
  sayFields(node, plan, said);
  return node.quads;
}

function sayFields(node: DescribedNode, plan: MessagePlan, said: object): void {
  for (const planned of plan.fields) {
    const value = (said as Record<string, unknown>)[planned.name];
    if (value === undefined) continue;
    for (const one of planned.repeated ? (value as unknown[]) : [value]) sayField(node, planned, one);
  }
}

function sayField(node: DescribedNode, { name, type, of, message }: PlannedField, value: unknown): void {
  const predicate = node.mapping.term(genericPropertyName(name));
  if (message?.name === 'TranslatedString') {
    sayTexts(node, predicate, value as TranslatedString);
  } else if (message) {
    sayFields(sayNode(node, predicate, node.mapping.term(message.name)), message, value as object);
  } else if (type === 'enum') {
    sayConcept(node, predicate, of as EnumName, value as string);
  } else if (type === 'string') {
    sayString(node, predicate, value as string);
  } else if (type === 'float' || type === 'double') {
    sayDecimal(node, predicate, value as number, type);
  } else {
    sayNumber(node, predicate, type, value as number);
  }
}

function sayNumber(
  node: DescribedNode,
  predicate: ReturnType<RtMapping['term']>,
  type: PlannedField['type'],
  value: number,
): void {
  if (type === 'uint64' || type === 'int64') sayTime(node, predicate, value);
  else if (type === 'int32') sayDuration(node, predicate, value);
  else sayInteger(node, predicate, value);
}
