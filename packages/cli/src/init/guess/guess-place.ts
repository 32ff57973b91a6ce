import { hasDecimalComma } from './guess-property.ts';
import type { SampleField } from './sample-fields.ts';

/** Two fields that say together where something is, in degrees. */
export interface GuessedPlace {
  readonly latitude: SampleField;
  readonly longitude: SampleField;
}

// In the languages of those who publish tables: Dutch, German, French, Spanish, Italian, Portuguese, Polish.
const LATITUDE =
  /^(lat|latitude|y|breedte(graad)?|(geo)?breite(ngrad)?|latitud|latitudine|szeroko\u015b\u0107( geograficzna)?)$/i;
const LONGITUDE =
  /^(lon|lng|long|longitude|x|lengte(graad)?|(geo)?(l\u00e4nge|laenge)(ngrad)?|longitud|longitudine|d\u0142ugo\u015b\u0107( geograficzna)?)$/i;

/** The fields of a latitude and a longitude that stand beside each other. */
export function guessPlace(fields: readonly SampleField[]): GuessedPlace | undefined {
  for (const latitude of fields.filter((field) => isDegrees(field, LATITUDE, 90))) {
    const longitude = fields.find((field) => isDegrees(field, LONGITUDE, 180) && areSiblings(field, latitude));
    if (longitude) return { latitude, longitude };
  }
  return undefined;
}

function isDegrees({ names, kind, values }: SampleField, pattern: RegExp, most: number): boolean {
  if (kind !== 'one' || !pattern.test(names.at(-1) ?? '')) return false;
  return values.every((value) => {
    const degrees =
      typeof value === 'boolean'
        ? Number.NaN
        : Number(hasDecimalComma(values) ? String(value).replace(',', '.') : value);
    return Math.abs(degrees) <= most;
  });
}

function areSiblings({ names: left }: SampleField, { names: right }: SampleField): boolean {
  return left.length === right.length && left.slice(0, -1).every((name, index) => name === right[index]);
}
