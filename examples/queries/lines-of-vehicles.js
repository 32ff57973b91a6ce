// Vehicles with the names and colours of their lines: a live stream joined with a timetable that does not change.
import { readFile } from 'node:fs/promises';
import { createLiveClient } from '@ldes-live/client';
import { withQueries } from '@ldes-live/query';
import { parseQuads } from '@ldes-live/rdf-stream';
import { argument } from './argument.js';

const url = argument('url', 'http://localhost:3000/vehicles');
const results = Number(argument('results', 'Infinity'));

// Of the demonstration: its IRIs are below the URL that it is published at.
const network = await readFile(new URL('network.ttl', import.meta.url), 'utf8');
const data = await parseQuads(network, 'turtle', new URL('/', url).href);

const sparql = `
  PREFIX gtfs: <http://vocab.gtfs.org/terms#>
  PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
  PREFIX rt: <https://w3id.org/ldes-live/gtfs-rt#>
  SELECT ?vehicle ?line ?colour ?speed WHERE {
    ?position rdfs:label ?vehicle ; gtfs:route ?route ; rt:speed ?speed .
    ?route gtfs:shortName ?line ; gtfs:color ?colour .
  }`;

const client = withQueries(createLiveClient({ mal: 5 }));
for await (const result of client.query(url, sparql, { data })) {
  if (result.form !== 'bindings') continue;
  for (const { vehicle, line, colour, speed } of result.added) {
    const kmh = Math.round(Number(speed?.value) * 3.6);
    console.log(`${vehicle?.value} of line ${line?.value} (#${colour?.value}): ${kmh} km/h`);
  }
  if (result.sequence + 1 >= results) break;
}
