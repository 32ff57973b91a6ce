import { type Draft, literal, namedNode, quad, rdf, xsd } from '@ldes-live/rdf-stream';

const EX = 'http://example.org/parking#';

/**
 * New states of entities in turns: number `first` and those after it, round all of them.
 *
 * @param base - what the IRIs of the entities begin with
 */
export function entityStates(base: string, first: number, count: number, entities: number): Draft[] {
  return Array.from({ length: count }, (_, index) => {
    const number = first + index;
    const entity = `${base}${number % entities}`;
    const subject = namedNode(entity);
    return {
      kind: 'upsert',
      entity,
      origin: 'bench',
      fingerprint: String(number),
      quads: [
        quad(subject, namedNode(rdf.type), namedNode(`${EX}CarPark`)),
        quad(subject, namedNode(`${EX}name`), literal(`Car park ${number % entities}`)),
        quad(subject, namedNode(`${EX}vacant`), literal(String(number), xsd.integer)),
      ],
    };
  });
}
