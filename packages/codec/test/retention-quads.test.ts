import { test } from 'vitest';
import { rootQuads } from '../src/index.ts';
import { retentionQuads } from '../src/retention-quads.ts';
import { expectTurtle } from './expect-turtle.ts';
import { description } from './sample-stream.ts';

const { url } = description;
const DAY_MS = 86_400_000;

test('DOC-26 a policy has an IRI and is described in the terms that it has', async () => {
  const policy = {
    startingFrom: '2026-01-01T00:00:00.000Z',
    fullLogMs: 7 * DAY_MS,
    versionAmount: 2,
    versionMs: 30 * DAY_MS,
    versionDeleteMs: 3_600_000,
  };
  await expectTurtle(
    retentionQuads(`${url}#view`, `${url}#retention`, policy),
    `<#view> ldes:retentionPolicy <#retention> .
    <#retention> a ldes:RetentionPolicy ;
      ldes:startingFrom "2026-01-01T00:00:00.000Z"^^xsd:dateTime ;
      ldes:fullLogDuration "P7D"^^xsd:duration ;
      ldes:versionAmount 2 ;
      ldes:versionDuration "P30D"^^xsd:duration ;
      ldes:versionDeleteDuration "PT1H"^^xsd:duration .`,
    url,
  );
  await expectTurtle(
    retentionQuads(`${url}#view`, `${url}#retention`, { fullLogMs: DAY_MS }),
    '<#view> ldes:retentionPolicy <#retention> . <#retention> a ldes:RetentionPolicy ; ldes:fullLogDuration "P1D"^^xsd:duration .',
    url,
  );
});

test('DOC-26 the root states the policy of its stream on its view description', async () => {
  const retention = { versionAmount: 1 };
  const stated = rootQuads({ ...description, retention }, { ranges: [] }).filter((quad) =>
    /[rR]etention/.test(`${quad.subject.value} ${quad.predicate.value}`),
  );
  await expectTurtle(
    stated,
    '<#view> ldes:retentionPolicy <#retention> . <#retention> a ldes:RetentionPolicy ; ldes:versionAmount 1 .',
    url,
  );
});
