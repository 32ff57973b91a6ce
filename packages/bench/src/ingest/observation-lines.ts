/** An observation of one of so many sensors as N-Quads: a version with an IRI of its own. */
export function observationLines(number: number, entities: number): string {
  const version = `<http://city.example/id/observations/${number}>`;
  const sensor = `<http://city.example/id/sensors/${number % entities}>`;
  const time = new Date(1_700_000_000_000 + number * 1000).toISOString();
  return [
    `${version} <http://purl.org/dc/terms/isVersionOf> ${sensor} .`,
    `${version} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/ns/sosa/Observation> .`,
    `${version} <http://www.w3.org/ns/sosa/madeBySensor> ${sensor} .`,
    `${version} <http://www.w3.org/ns/sosa/hasSimpleResult> "${(number * 7919) % 10_000}.5"^^<http://www.w3.org/2001/XMLSchema#decimal> .`,
    `${version} <http://www.w3.org/ns/sosa/resultTime> "${time}"^^<http://www.w3.org/2001/XMLSchema#dateTime> .`,
    '',
  ].join('\n');
}
