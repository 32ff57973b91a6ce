import { ldes } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { rootQuads } from '../src/index.ts';
import { expectTurtle } from './expect-turtle.ts';
import { description } from './sample-stream.ts';

test('DOC-2 the root describes the stream, the push endpoint and its ranges', async () => {
  const time = '2026-01-01T00:00:00.000Z';
  const ranges = [{ url: `${description.url}/pages/range-0`, firstTime: time }];
  await expectTurtle(
    rootQuads(description, { ranges, pollingIntervalSeconds: 20, shape: `${description.url}/shape` }),
    `<#stream> a ldes:EventStream ;
      tree:view <> ;
      dct:title "Vehicle positions" ;
      tree:shape <vehicles/shape> ;
      ldes:timestampPath prov:generatedAtTime ;
      ldes:versionOfPath dct:isVersionOf ;
      ldes:versionTimestampPath sosa:resultTime ;
      ldes:sequencePath live:sequence ;
      ldes:versionDeleteObject as:Delete ;
      ldes:pollingInterval 20 .
    <> a tree:Node ; tree:viewDescription <#view> .
    <#view> a ldes:EventSource ; dcat:accessService <#push> .
    <#push> a dcat:DataService ; dcat:endpointURL <vehicles/events> ; dcat:servesDataset <#stream> .
    <> tree:relation [ a tree:GreaterThanOrEqualToRelation ; tree:node <vehicles/pages/range-0> ;
      tree:path prov:generatedAtTime ; tree:value "${time}"^^xsd:dateTime ] .`,
    description.url,
  );
});

test.each([
  [undefined, []],
  [20.9, ['20']],
  [0.4, ['1']],
])('DOC-2 an interval of %s s is written as %s', (pollingIntervalSeconds, expected) => {
  const root = { ranges: [], ...(pollingIntervalSeconds === undefined ? {} : { pollingIntervalSeconds }) };
  const stated = rootQuads(description, root).filter(({ predicate }) => predicate.value === ldes.pollingInterval);
  expect(stated.map(({ object }) => object.value)).toEqual(expected);
});
