import { unknownLine } from './line.js';

/** @import { Line } from './line.js' */
/** @typedef {import('@ldes-live/client/browser').MemberChange['member']} Member */

/**
 * @typedef {object} Vehicle what the page shows of a vehicle
 * @property {string} entity - its IRI
 * @property {string} name
 * @property {Line} line
 * @property {string} status
 * @property {string} occupancy
 * @property {number | undefined} kmPerHour
 * @property {{ lat: number, long: number } | undefined} place
 */

/**
 * What a member's quads say of a vehicle.
 *
 * @param {Member} member
 * @param {ReadonlyMap<string, Line>} lines - those that are known, by IRI
 * @returns {Vehicle}
 */
export function readVehicle({ id, entity, quads }, lines) {
  /** @param {string} term - how the property's IRI ends */
  const said = (term) =>
    quads.find(({ subject, predicate }) => subject.value === id && predicate.value.endsWith(`#${term}`))?.object.value;
  const [lat, long, speed] = ['lat', 'long', 'speed'].map((term) => Number(said(term) ?? Number.NaN));
  const route = said('route') ?? '';
  return {
    entity,
    name: said('label') ?? lastPart(entity),
    line: lines.get(route) ?? unknownLine(route),
    status: words(said('currentStatus')),
    occupancy: words(said('occupancyStatus')),
    kmPerHour: Number.isNaN(speed) ? undefined : Number(speed) * 3.6,
    place: Number.isNaN(lat) || Number.isNaN(long) ? undefined : { lat: Number(lat), long: Number(long) },
  };
}

/** @param {string} iri */
function lastPart(iri) {
  return decodeURIComponent(/[^/#]*$/.exec(iri)?.[0] ?? iri);
}

/** @param {string | undefined} iri - such as `.../rt#InTransitTo` */
function words(iri = '') {
  return lastPart(iri)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
}
