import { type Draft, literal, namedNode, quad, rdf, type UpsertDraft, xsd } from '@ldes-live/rdf-stream';

const EX = 'http://example.org/transit#';
const WGS = 'http://www.w3.org/2003/01/geo/wgs84_pos#';

/**
 * A new state of vehicle `entity`: seven quads of its own, and three more as a member.
 *
 * @param round - which state of it: another one has another position and speed
 */
function vehicleState(publicUrl: string, entity: number, round: number): UpsertDraft {
  const iri = `${publicUrl}vehicles/entities/${entity}`;
  const subject = namedNode(iri);
  const latitude = (51 + ((entity * 37 + round * 11) % 1000) / 10_000).toFixed(4);
  const longitude = (3.7 + ((entity * 53 + round * 7) % 1000) / 10_000).toFixed(4);
  return {
    kind: 'upsert',
    entity: iri,
    origin: 'bench',
    fingerprint: `${round}`,
    quads: [
      quad(subject, namedNode(rdf.type), namedNode(`${EX}VehiclePosition`)),
      quad(subject, namedNode(`${EX}route`), namedNode(`http://example.org/id/routes/${entity % 40}`)),
      quad(subject, namedNode(`${EX}trip`), namedNode(`http://example.org/id/trips/${entity}-${round % 50}`)),
      quad(subject, namedNode(`${WGS}lat`), literal(latitude, xsd.decimal)),
      quad(subject, namedNode(`${WGS}long`), literal(longitude, xsd.decimal)),
      quad(subject, namedNode(`${EX}bearing`), literal(String((entity * 7 + round * 3) % 360), xsd.integer)),
      quad(subject, namedNode(`${EX}speed`), literal(((entity + round) % 25).toFixed(1), xsd.decimal)),
    ],
  };
}

/** The states of one commit: `count` vehicles from number `first` on, round a fleet of `fleet`. */
export function vehicleCommit(publicUrl: string, first: number, count: number, fleet: number): Draft[] {
  return Array.from({ length: count }, (_, index) => {
    const number = first + index;
    return vehicleState(publicUrl, number % fleet, Math.floor(number / fleet));
  });
}
