// Which garages within a distance have room, and how much. Answered from the garages that changed alone.
import { createLiveClient } from '@ldes-live/client';
import { withQueries } from '@ldes-live/query';
import { argument } from './argument.js';

const url = argument('url', 'http://localhost:3103/garages');
const results = Number(argument('results', 'Infinity'));
const [latitude = 0, longitude = 0] = argument('from', '51.0538,3.725').split(',').map(Number);
const km = Number(argument('km', '1'));

// SPARQL alone knows no distances; over a few kilometres the earth is flat.
const sparql = `
  PREFIX mv: <http://schema.mobivoc.org/#>
  PREFIX geo: <http://www.opengis.net/ont/geosparql#>
  PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
  PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
  SELECT ?name ?free ?km2 WHERE {
    ?garage rdfs:label ?name ; mv:capacity ?now ; geo:hasGeometry/geo:asWKT ?point .
    ?now a mv:RealTimeCapacity ; mv:currentValue ?free .
    FILTER(?free > 0)
    BIND(STRAFTER(STR(?point), "(") AS ?coordinates)
    BIND(xsd:double(STRBEFORE(?coordinates, " ")) AS ?long)
    BIND(xsd:double(STRBEFORE(STRAFTER(?coordinates, " "), ")")) AS ?lat)
    BIND((?lat - ${latitude}) * 111.2 AS ?north)
    BIND((?long - ${longitude}) * ${(111.2 * Math.cos((latitude * Math.PI) / 180)).toFixed(2)} AS ?east)
    BIND(?north * ?north + ?east * ?east AS ?km2)
    FILTER(?km2 <= ${km * km})
  }`;

const client = withQueries(createLiveClient({ mal: 10 }));
for await (const result of client.query(url, sparql)) {
  if (result.form !== 'bindings') continue;
  for (const { name, free, km2 } of result.added) {
    console.log(`${name?.value}: ${free?.value} free, ${Math.sqrt(Number(km2?.value)).toFixed(1)} km away`);
  }
  // One that has a new number went and came.
  const here = new Set(result.bindings().map(({ name }) => name?.value));
  for (const { name } of result.removed) if (!here.has(name?.value)) console.log(`${name?.value}: no room any more`);
  if (result.sequence + 1 >= results) break;
}
