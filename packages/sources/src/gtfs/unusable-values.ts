import type { Alert } from './feed-entities.ts';
import { httpIri, languageTag } from './published-text.ts';
import type { WireField } from './wire-format.ts';
import type { WireMessageName } from './wire-messages.ts';
import { type MessagePlan, type PlannedField, planOf } from './wire-plan.ts';
import { isUsableTime } from './wire-time.ts';

/** Told of each value that is set and yet not published, by the name of the finding. */
export type OnUnusable = (finding: 'unusable-time' | 'unusable-number' | 'unusable-language' | 'unusable-url') => void;

/**
 * Finds the values that the mapping leaves out because they are not what they should be: times that are
 * no POSIX seconds, numbers that are none, language tags that are not well-formed, links that are no web
 * addresses.
 *
 * @see specs/gtfs-realtime.md GTFS-19
 */
export function findUnusableValues(kind: WireMessageName, content: object, onUnusable: OnUnusable): void {
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
    else if (planned.field.repeated) for (const one of value as object[]) walk(inner, one, onUnusable);
    else walk(inner, value as object, onUnusable);
  }
}

function checkScalar({ name, field }: PlannedField, value: unknown, onUnusable: OnUnusable): void {
  if (isTime(field)) {
    if (!isUsableTime(value as number)) onUnusable('unusable-time');
  } else if (isReal(field)) {
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
    fields = plan.fields.filter(({ name, field, message }) => {
      if (message) return fieldsToCheck(message).length > 0;
      return isTime(field) || isReal(field) || name === 'language' || name === 'url';
    });
    checked.set(plan, fields);
  }
  return fields;
}

function isTime(field: WireField): boolean {
  return 'unit' in field && field.unit === 'time';
}

function isReal(field: WireField): boolean {
  return field.type === 'float' || field.type === 'double';
}
