import { expect, test } from 'vitest';
import {
  type Format,
  formats,
  parseQuads,
  readStreamContext,
  rootQuads,
  type StreamContext,
  writeQuads,
} from '../src/index.ts';
import { description, streamPrefixes } from './sample-stream.ts';

const url = 'http://x.example/root';
const prefixes =
  '@prefix ldes: <https://w3id.org/ldes#> . @prefix tree: <https://w3id.org/tree#> . @prefix ex: <http://x.example/> .';
const paths = 'ldes:timestampPath ex:time ; ldes:versionOfPath ex:of ; ldes:sequencePath ex:sequence';

async function read(turtle: string): Promise<StreamContext> {
  return readStreamContext(await parseQuads(`${prefixes}\n${turtle}`, 'turtle', url), url);
}

test.each(Object.keys(formats) as Format[])('the context that a root states in %s is read', async (format) => {
  const text = writeQuads(rootQuads(description, { ranges: [], pollingIntervalSeconds: 20 }), format, streamPrefixes);
  expect(readStreamContext(await parseQuads(text, format, description.url), description.url)).toEqual({
    stream: description.iri,
    timestampPath: 'http://www.w3.org/ns/prov#generatedAtTime',
    versionOfPath: 'http://purl.org/dc/terms/isVersionOf',
    sequencePath: description.sequencePath,
    versionTimestampPath: 'http://www.w3.org/ns/sosa/resultTime',
    versionDeleteObject: 'https://www.w3.org/ns/activitystreams#Delete',
    pollingIntervalSeconds: 20,
  });
});

test.each([
  `ex:S tree:view <> ; ${paths} .`,
  `ex:S tree:view <> . <> ${paths} .`,
  `ex:S tree:view <> . <> tree:viewDescription ex:V . ex:V ${paths} .`,
  `ex:S tree:view <> . <> tree:viewDescription [ ${paths} ] .`,
  `ex:S tree:view <> ; tree:view ex:elsewhere ; ${paths} . ex:T tree:view ex:elsewhere ; ldes:timestampPath ex:other .`,
  `ex:S tree:view <>, <> ; ${paths} ; ldes:timestampPath ex:time ; ldes:pollingInterval "often" .`,
])('DOC-21 is found wherever it may stand: %s', async (turtle) => {
  expect(await read(turtle)).toEqual({
    stream: 'http://x.example/S',
    timestampPath: 'http://x.example/time',
    versionOfPath: 'http://x.example/of',
    sequencePath: 'http://x.example/sequence',
    versionDeleteObject: 'https://www.w3.org/ns/activitystreams#Delete',
  });
});

test('the type of deletions may be another', async () => {
  const context = await read(`ex:S tree:view <> ; ldes:versionDeleteObject ex:Gone ; ${paths} .`);
  expect(context.versionDeleteObject).toBe('http://x.example/Gone');
});

test('DOC-21 a document that is the view of nothing is refused', async () => {
  await expect(read(`ex:S tree:view ex:elsewhere ; ${paths} .`)).rejects.toMatchObject({
    code: 'ERR_VIEW_NOT_FOUND',
    details: { url },
  });
});

test('DOC-21 a document that is the view of several streams is refused', async () => {
  await expect(read(`ex:S tree:view <> ; ${paths} . ex:T tree:view <> .`)).rejects.toMatchObject({
    code: 'ERR_VIEW_AMBIGUOUS',
    details: { streams: ['http://x.example/S', 'http://x.example/T'] },
  });
});

test.each(['', 'ldes:timestampPath ex:a, ex:b ;', 'ldes:timestampPath ( ex:a ex:b ) ;', 'ldes:timestampPath "time" ;'])(
  'a path that is no single predicate is refused: %j',
  async (stated) => {
    await expect(read(`ex:S tree:view <> ; ${stated} ldes:versionOfPath ex:of .`)).rejects.toMatchObject({
      code: 'ERR_STREAM_CONTEXT_INCOMPLETE',
      details: { stream: 'http://x.example/S', property: 'https://w3id.org/ldes#timestampPath' },
    });
  },
);
