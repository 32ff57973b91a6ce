import { timeForm } from './guess-time.ts';
import type { SampleField } from './sample-fields.ts';

/** What identifiers are called, the likeliest first. */
const NAMES = [
  /^@?id$/i,
  /^@iot\.id$/,
  /^(uid|uuid|guid|ident\w*)$/i,
  /^[ui]ri$/i,
  /^(.+[\s_-])[iI][dD]$|[a-z]I[dD]$|^[iI]dent/,
  /id2?$/i,
  /(^|[\s_-])(key|code|number|nr|kod|nummer|kennung)$/i,
  /^url$/i,
  // What a thing refers to is more often another than itself.
  /(^|[\s_-])ref$/i,
  /name|title|label/i,
];

/** The share of records that have to have it: one without anything in it is often among them. */
const SHARE = 0.9;

/** The field that tells records apart. */
export interface Identity {
  readonly field: SampleField;
  /** Whether it is called so; else it is just the first text that no two records share. */
  readonly isNamed: boolean;
}

/**
 * The field that probably tells records apart: a value in nearly each, and none twice.
 *
 * @param records - how many there are
 */
export function identityField(fields: readonly SampleField[], records: number): Identity | undefined {
  const fit = fields.filter(({ kind, values }) => {
    const texts = values.filter((value) => typeof value === 'string' || Number.isSafeInteger(value)).map(String);
    return kind === 'one' && texts.length >= SHARE * records && new Set(texts).size === records;
  });
  for (const pattern of NAMES) {
    const [nearest] = fit
      .filter(({ names }) => pattern.test(names.at(-1) ?? ''))
      .sort((left, right) => left.names.length - right.names.length);
    if (nearest) return { field: nearest, isNamed: true };
  }
  // Of a single record every field is unlike all others.
  const text = records > 1 ? fit.find(isNaming) : undefined;
  return text && { field: text, isNamed: false };
}

/** Whether the values may be names of things: short texts, and neither amounts nor times. */
function isNaming(field: SampleField): boolean {
  return (
    timeForm(field) === undefined &&
    field.values.every((value) => typeof value === 'string' && value.length <= 100 && /\p{L}/u.test(value))
  );
}

/** Whether the values are IRIs already. */
export function areIris({ values }: SampleField): boolean {
  return values.every(
    (value) => typeof value === 'string' && /^(https?:\/\/[^\s<>"{}|\\^`]+|urn:[^\s<>"{}|\\^`]+)$/.test(value),
  );
}
