import { prefixes, xsd } from '@ldes-live/rdf-stream';
import { isMapping, noArgument, optionsOf } from './argument.ts';
import { ConversionProblem } from './conversion-problem.ts';
import type { Converter } from './converter.ts';
import { geometryWkt } from './geometry-wkt.ts';
import { degrees, namedPair, pairOf, positionText } from './position.ts';
import { referenceSystem } from './reference-system.ts';

const WKT_LITERAL = `${prefixes.geo}wktLiteral`;

/** A latitude in degrees. @see specs/mapping-values.md MAP-65 */
export const lat: Converter = angle('latitude');

/** A longitude in degrees. @see specs/mapping-values.md MAP-65 */
export const lon: Converter = angle('longitude');

/** Two coordinates as the WKT of a point. @see specs/mapping-values.md MAP-66 */
export const point: Converter = {
  datatype: WKT_LITERAL,
  takes: 'any',
  make(argument) {
    const order =
      typeof argument === 'string' ? argument : (optionsOf(argument ?? undefined, ['order']).order ?? 'lonlat');
    if (order !== 'lonlat' && order !== 'latlon') throw new ConversionProblem('lonlat or latlon was expected as order');
    return (value) => {
      const pair = pairOf(namedPair(value));
      // Names say which is which.
      const turned = order === 'latlon' && !isMapping(value);
      return `POINT (${positionText(turned ? [pair[1], pair[0]] : pair)})`;
    };
  },
};

/** A geometry of GeoJSON as WKT. @see specs/mapping-values.md MAP-67 */
export const geometry: Converter = {
  datatype: WKT_LITERAL,
  takes: 'any',
  make(argument) {
    const { crs: system } = optionsOf(argument ?? undefined, ['crs']);
    const toDegrees = system === undefined ? undefined : referenceSystem(system);
    const write = toDegrees ? (position: unknown) => positionText(toDegrees(position)) : positionText;
    return (value) => geometryWkt(value, write);
  },
};

/** Coordinates of another reference system as longitude and latitude. @see specs/mapping-values.md MAP-68 */
export const crs: Converter = {
  takes: 'any',
  make(argument) {
    const toDegrees = referenceSystem(argument);
    return (value) => toDegrees(namedPair(value));
  },
};

function angle(axis: 'longitude' | 'latitude'): Converter {
  return {
    datatype: xsd.decimal,
    make(argument) {
      noArgument(argument);
      return (value) => degrees(value, axis);
    },
  };
}
