import type { Alert } from './generated/gtfs-realtime.ts';
import { type MessageName, type MessagePlan, type PlannedField, planOf, type WireField } from './messages.ts';
import { httpIri, isUsableTime, languageTag } from './to-rdf.ts';

/** Told of each value that is set and yet not published, by the name of the finding. */
export type OnUnusable = (finding: 'unusable-time' | 'unusable-number' | 'unusable-language' | 'unusable-url') => void;

/**
 * Finds the values that the mapping leaves out because they are not what they should be: times that are
 * no POSIX seconds, numbers that are none, language tags that are not well-formed, links that are no web
 * addresses.
 *
 * @see specs/gtfs-realtime.md GTFS-19
 */
export function findUnusableValues(kind: MessageName, content: object, onUnusable: OnUnusable): void {
  walk(planOf(kind), content, onUnusable);
  if (kind === 'Alert') {
    for (const { text } of (content as Alert).url?.translation ?? []) {
      if (httpIri(text) === undefined) onUnusable('unusable-url');
    }
  }
}

function walk(plan: MessagePlan, message: object, onUnusable: OnUnusable): void {
  const values = message as Record<string, unknown>;
  for (const planned of fieldsToCheck(plan)) {
    const value = values[planned.name];
    if (value === undefined) continue;
    const { message: inner } = planned;
    if (!inner) checkScalar(planned, value, onUnusable);
    else if (planned.repeated) for (const one of value as object[]) walk(inner, one, onUnusable);
    else walk(inner, value as object, onUnusable);
  }
}

function checkScalar({ name, type }: PlannedField, value: unknown, onUnusable: OnUnusable): void {
  if (isTime(type)) {
    if (!isUsableTime(value as number)) onUnusable('unusable-time');
  } else if (isReal(type)) {
    if (!Number.isFinite(value)) onUnusable('unusable-number');
  } else if (name === 'language') {
    if (languageTag(value as string) === undefined) onUnusable('unusable-language');
  } else if (httpIri(value as string) === undefined) {
    onUnusable('unusable-url');
  }
}

const checked = new Map<MessagePlan, readonly PlannedField[]>();

/** The fields that can be unusable, or hold what can: few, so that most of a feed need not be looked at. */
function fieldsToCheck(plan: MessagePlan): readonly PlannedField[] {
  let fields = checked.get(plan);
  if (!fields) {
    fields = plan.fields.filter(({ name, type, message }) => {
      if (message) return fieldsToCheck(message).length > 0;
      return isTime(type) || isReal(type) || name === 'language' || name === 'url';
    });
    checked.set(plan, fields);
  }
  return fields;
}

function isTime(type: WireField['type']): boolean {
  return type === 'uint64' || type === 'int64';
}

function isReal(type: WireField['type']): boolean {
  return type === 'float' || type === 'double';
}
