// How many trips of each line are late by a minute or more, most first.
import { createLiveClient } from '@ldes-live/client';
import { withQueries } from '@ldes-live/query';
import { argument } from './argument.js';

const url = argument('url', 'http://localhost:3000/trips');
const results = Number(argument('results', 'Infinity'));

// Delays are xsd:duration, which has no order; those of days and less do.
const sparql = `
  PREFIX gtfs: <http://vocab.gtfs.org/terms#>
  PREFIX rt: <https://w3id.org/ldes-live/gtfs-rt#>
  PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
  SELECT ?line (COUNT(DISTINCT ?trip) AS ?late) WHERE {
    ?trip gtfs:route ?line ; rt:stopTimeUpdate/rt:arrivalDelay ?delay .
    FILTER(STRDT(STR(?delay), xsd:dayTimeDuration) >= "PT1M"^^xsd:dayTimeDuration)
  }
  GROUP BY ?line ORDER BY DESC(?late) ?line`;

const client = withQueries(createLiveClient({ mal: 5 }));
for await (const result of client.query(url, sparql)) {
  if (result.form !== 'bindings') continue;
  const lines = result.bindings().map(({ line, late }) => `line ${line?.value.split('/').at(-1)}: ${late?.value}`);
  console.log(`${result.dataAsOf.toISOString()}  ${lines.join(', ') || 'all on time'}`);
  if (result.sequence + 1 >= results) break;
}
