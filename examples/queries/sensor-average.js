// The average of each sensor over the last minutes, in windows of time, with an alarm.
import { createLiveClient } from '@ldes-live/client';
import { withQueries } from '@ldes-live/query';
import { argument } from './argument.js';

const url = argument('url', 'http://localhost:3104/levels');
const results = Number(argument('results', 'Infinity'));
const range = 60 * Number(argument('minutes', '5'));
const alarm = Number(argument('alarm', '10'));

const sparql = `
  PREFIX sosa: <http://www.w3.org/ns/sosa/>
  SELECT ?sensor (AVG(?value) AS ?average) (COUNT(*) AS ?readings) WHERE {
    ?reading sosa:madeBySensor ?sensor ; sosa:hasSimpleResult ?value .
  }
  GROUP BY ?sensor`;

const client = withQueries(createLiveClient({ mal: 2 }));
for await (const result of client.query(url, sparql, {
  window: { type: 'time', range, step: range / 10 },
  output: 'rstream',
})) {
  if (result.form !== 'bindings') continue;
  for (const { sensor, average, readings } of result.added) {
    const level = Number(average?.value);
    const until = result.window?.close.toISOString();
    console.log(
      `${until}  ${sensor?.value}: ${level.toFixed(2)} over ${readings?.value} readings${level > alarm ? '  ALARM' : ''}`,
    );
  }
  if (result.sequence + 1 >= results) break;
}
