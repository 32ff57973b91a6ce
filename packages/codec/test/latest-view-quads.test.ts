import { expect, test } from 'vitest';
import { extractMembers, latestViewQuads, memberQuads, readStreamContext } from '../src/index.ts';
import { expectTurtle } from './expect-turtle.ts';
import { commitOf, description, vehicle } from './sample-stream.ts';

const url = `${description.url}/latest`;

test('DOC-6 the latest state is a view that keeps one version and no deletions, by a policy that has an IRI', async () => {
  await expectTurtle(
    latestViewQuads(description, url),
    `<vehicles#stream> a ldes:EventStream ;
      tree:view <latest> ;
      ldes:timestampPath prov:generatedAtTime ;
      ldes:versionOfPath dct:isVersionOf ;
      ldes:versionTimestampPath sosa:resultTime ;
      ldes:sequencePath live:sequence ;
      ldes:versionDeleteObject as:Delete .
    <latest> a tree:Node ; tree:viewDescription <latest#view> .
    <latest#view> a ldes:EventSource ; ldes:retentionPolicy <latest#retention> .
    <latest#retention> a ldes:RetentionPolicy ;
      ldes:versionAmount 1 ;
      ldes:versionDeleteDuration "PT0S"^^xsd:duration .`
      .replaceAll('<vehicles#', `<${description.url}#`)
      .replaceAll('<latest', `<${url}`),
    url,
  );
});

test('it has the members, and can be read by what it says itself', () => {
  const { members } = commitOf([vehicle('1'), vehicle('2')]);
  const quads = [...latestViewQuads(description, url), ...memberQuads(description, members)];
  expect(extractMembers(quads, readStreamContext(quads, url))).toEqual(members);
});
