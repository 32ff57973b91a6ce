// Vehicles with the names and colours of their lines: two live streams in one query, positions and timetable.
import { createLiveClient } from '@ldes-live/client';
import { withQueries } from '@ldes-live/query';
import { argument } from './argument.js';

const vehicles = argument('url', 'http://localhost:3000/vehicles');
const timetable = argument('timetable', new URL('timetable', vehicles).href);
const results = Number(argument('results', 'Infinity'));

const sparql = `
  PREFIX dct: <http://purl.org/dc/terms/>
  PREFIX gtfs: <http://vocab.gtfs.org/terms#>
  PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
  PREFIX rt: <https://w3id.org/ldes-live/gtfs-rt#>
  SELECT ?vehicle ?line ?name ?colour ?speed WHERE {
    ?position rdfs:label ?vehicle ; gtfs:route ?route ; rt:speed ?speed .
    # Members are versions: a route is what the newest one says of it.
    ?version dct:isVersionOf ?route ; gtfs:shortName ?line ; gtfs:longName ?name ; gtfs:color ?colour .
  }`;

const client = withQueries(createLiveClient({ mal: 5 }));
for await (const result of client.query([vehicles, timetable], sparql)) {
  if (result.form !== 'bindings') continue;
  for (const { vehicle, line, name, colour, speed } of result.added) {
    const kmh = Math.round(Number(speed?.value) * 3.6);
    console.log(`${vehicle?.value} of line ${line?.value} (#${colour?.value}), ${name?.value}: ${kmh} km/h`);
  }
  if (result.sequence + 1 >= results) break;
}
