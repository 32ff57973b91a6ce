import proj4 from 'proj4';
import { ConversionProblem } from './conversion-problem.ts';
import { numeral } from './numeral.ts';
import { pairOf } from './position.ts';
import { projection } from './projection.ts';

/** Coordinates of a reference system as `[longitude, latitude]` of WGS 84, degrees. */
export type ToDegrees = (position: unknown) => readonly [longitude: number, latitude: number];

// A hundred millionth of a degree is a millimetre: what comes after it is noise of the calculation.
const PLACES = 8;

/**
 * The way from a reference system to WGS 84. Coordinates are east, north, whatever order the register of EPSG has.
 *
 * @param name - `EPSG:25832`, its URN or URL, `CRS84`, or a definition of PROJ that begins with `+proj=`
 * @throws ConversionProblem - none of these
 * @see specs/mapping-values.md MAP-68
 */
export function referenceSystem(name: unknown): ToDegrees {
  const definition = typeof name === 'string' ? definitionOf(name.trim()) : undefined;
  if (definition === undefined) {
    throw new ConversionProblem(
      'a reference system such as EPSG:25832, or a definition that begins with +proj=, was expected',
    );
  }
  const { forward } = converterOf(definition);
  return (position) => {
    const [east, north] = pairOf(position);
    const [longitude, latitude] = forward([Number(numeral(east)), Number(numeral(north))]) as [number, number];
    if (Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90) return [fixed(longitude), fixed(latitude)];
    throw new ConversionProblem('coordinates that lie in their reference system were expected');
  };
}

function definitionOf(name: string): string | undefined {
  if (name.startsWith('+proj=')) return name;
  if (/(^|[:/])CRS84$/.test(name)) return projection(4326);
  const code =
    /^(?:EPSG:|urn:ogc:def:crs:EPSG:[^:]*:|https?:\/\/www\.opengis\.net\/def\/crs\/EPSG\/[^/]+\/)(\d{4,6})$/i.exec(
      name,
    )?.[1];
  return code === undefined ? undefined : projection(Number(code));
}

function converterOf(definition: string): { forward: (position: [number, number]) => number[] } {
  // Grids are files that nobody has loaded; proj4 would go on without them.
  if (/\+nadgrids=(?!@null)/.test(definition)) throw new ConversionProblem('a definition without grids was expected');
  try {
    return proj4(definition, projection(4326) as string);
  } catch (problem) {
    throw new ConversionProblem(
      `the definition cannot be read: ${problem instanceof Error ? problem.message : problem}`,
    );
  }
}

function fixed(degrees: number): number {
  return Number(degrees.toFixed(PLACES));
}
