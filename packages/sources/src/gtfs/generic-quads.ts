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
import type { Shape, Stop, TranslatedString, TripModifications } from './feed-entities.ts';
import type { RtMapping } from './rt-mapping.ts';
import { genericPropertyName } from './rt-properties.ts';
import { type MessagePlan, type PlannedField, planOf } from './wire-plan.ts';

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
    for (const one of planned.field.repeated ? (value as unknown[]) : [value]) sayField(node, planned, one);
  }
}

function sayField(node: DescribedNode, { name, field, message }: PlannedField, value: unknown): void {
  const predicate = node.mapping.term(genericPropertyName(name));
  if (message?.name === 'TranslatedString') {
    sayTexts(node, predicate, value as TranslatedString);
  } else if (message) {
    sayFields(sayNode(node, predicate, node.mapping.term(message.name)), message, value as object);
  } else if (field.type === 'enum') {
    sayConcept(node, predicate, field.values, value as string);
  } else if (field.type === 'string') {
    sayString(node, predicate, value as string);
  } else if (field.type === 'float' || field.type === 'double') {
    sayDecimal(node, predicate, value as number, field.type);
  } else {
    sayNumber(node, predicate, field, value as number);
  }
}

function sayNumber(
  node: DescribedNode,
  predicate: ReturnType<RtMapping['term']>,
  field: PlannedField['field'],
  value: number,
): void {
  const unit = 'unit' in field ? field.unit : undefined;
  if (unit === 'time') sayTime(node, predicate, value);
  else if (unit === 'duration') sayDuration(node, predicate, value);
  else sayInteger(node, predicate, value);
}
