import { StreamError } from '@ldes-live/rdf-stream';
import { describeRecordings, recording } from '@ldes-live/test-support/recordings';
import { expect, test } from 'vitest';
import { mappedReader } from '../../src/documents/http-source.ts';
import type { CompiledMapping } from '../../src/mapping/compile.ts';
import type { MappedDocument, MappingInput } from '../../src/mapping/map-document.ts';
import { loadPreset } from '../../src/presets.ts';
import { ok } from '../feed-server.ts';
import { compiled, garageMapping, garages, pollDocuments } from './poll-documents.ts';

const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const now = { nowMs: 0 };

const NOTHING: MappedDocument = {
  entities: [],
  unreadableEntities: [],
  unnamedRecords: 0,
  findings: {},
  problems: [],
  records: 0,
  unmapped: async () => [],
};
const candidate = (entity: string) => ({ entity, fingerprint: '1', quads: () => [] });

/** A mapping that answers later, with what a test gives. */
function later(
  map: (input: MappingInput) => Partial<MappedDocument>,
  more: Partial<CompiledMapping> = {},
): CompiledMapping {
  return {
    ...compiled(garageMapping),
    ...more,
    map: async (input) => {
      await new Promise(setImmediate);
      return { ...NOTHING, ...map(input) };
    },
  };
}

test('SRC-1 a mapping may take its time', async () => {
  const mapping = later(() => ({ entities: [candidate('urn:a')], records: 1 }));
  const read = mappedReader(mapping, {});
  expect(await read({ pages: [bytes('{}')], lookups: {} }, now)).toMatchObject({
    entities: [{ entity: 'urn:a', fingerprint: '1' }],
    differential: false,
  });
});

test('SRC-5 pages are summed up, and the first one says what the document is', async () => {
  const problem = new StreamError('ERR_TEST', 'no');
  const mapping = later(({ document }) => {
    const { page } = document as { page: number };
    return {
      records: 20,
      problems: Array.from({ length: 15 }, () => problem),
      findings: { odd: page, ...(page === 2 ? { other: 1 } : {}) },
      unreadableEntities: [`urn:${page}`],
      entities: [candidate(`urn:${page}`)],
      documentTimeMs: page,
      documentTtlMs: page * 10,
    };
  });
  const read = mappedReader(mapping, {});
  const snapshot = await read({ pages: [bytes('{"page": 1}'), bytes('{"page": 2}')], lookups: {} }, now);
  expect(snapshot).toMatchObject({
    findings: { odd: 3, other: 1 },
    unreadable: ['urn:1', 'urn:2'],
    headerMs: 1,
    ttlMs: 10,
  });
  expect(snapshot.entities).toHaveLength(2);
  expect(snapshot.problems).toHaveLength(20);
});

test('SRC-10 a lookup is read once as long as its bytes are the same', async () => {
  const seen: unknown[] = [];
  const mapping = later(
    ({ lookups }) => {
      seen.push(lookups?.names);
      return {};
    },
    { lookups: { names: { key: 'id', by: 'id', reads: { format: 'csv' } } } },
  );
  const read = mappedReader(mapping, {});
  const names = bytes('id,name\ng0,North\n');
  await read({ pages: [bytes('1')], lookups: { names } }, now);
  await read({ pages: [bytes('2')], lookups: { names } }, now);
  expect(seen[0]).toEqual([{ id: 'g0', name: 'North' }]);
  expect(seen[1]).toBe(seen[0]);
});

test('SRC-4 records without a key and without a problem are none that can be read either', async () => {
  const read = mappedReader(
    later(() => ({ records: 3 })),
    {},
  );
  await expect(read({ pages: [bytes('{}')], lookups: {} }, now)).rejects.toMatchObject({
    code: 'ERR_RECORDS_UNREADABLE',
    details: { records: 3 },
  });
});

test('limits hold for documents just below and above', async () => {
  const reader = (limits: object) => mappedReader(compiled(garageMapping), limits);
  const body = { pages: [bytes(garages(3, 1))], lookups: {} };
  expect((await reader({ limitRecords: 3 })(body, now)).entities).toHaveLength(3);
  await expect(reader({ limitRecords: 2 })(body, now)).rejects.toMatchObject({ code: 'ERR_DOCUMENT_TOO_MANY' });
  expect((await reader({ limitDepth: 3 })(body, now)).entities).toHaveLength(3);
  await expect(reader({ limitDepth: 2 })(body, now)).rejects.toMatchObject({ code: 'ERR_DOCUMENT_TOO_DEEP' });
});

test('SRC-27 a document is looked at once in ten minutes, and what was seen holds until then', async () => {
  let looks = 0;
  const unmapped = ['a'];
  const map: CompiledMapping['map'] = async () => ({
    ...NOTHING,
    unmapped: async () => {
      looks += 1;
      return [...unmapped];
    },
  });
  const read = mappedReader({ ...compiled(garageMapping), map }, {});
  const at = (nowMs: number) => read({ pages: [bytes('{}'), bytes('{}')], lookups: {} }, { nowMs });
  expect(await at(0)).toMatchObject({ findings: { unmapped: 1 }, problems: [{ code: 'ERR_MAPPING_UNMAPPED' }] });
  expect(looks).toBe(2);
  unmapped.push('b');
  expect(await at(599_999)).toMatchObject({ findings: { unmapped: 1 }, problems: [] });
  expect(looks).toBe(2);
  expect(await at(600_000)).toMatchObject({ findings: { unmapped: 2 }, problems: [{ details: { paths: ['b'] } }] });
  unmapped.length = 0;
  expect(await at(1_200_000)).toMatchObject({ findings: {}, problems: [] });
});

const FILES = ['1-1705308099', '2-1705311469', '3-1705316554', '4-1705317924', '5-1705756364', '6-1706019398'];

describeRecordings(
  'recordings of sensors, polled in sequence',
  () => {
    test('SRC-1 six recordings of the garages of Ghent give exactly those that changed', async () => {
      const mapping = loadPreset('ghent-garages').mapping;
      if (!mapping) throw new Error('no preset');
      const { answers, poll, latest, source } = await pollDocuments({ mapping: compiled(mapping) });
      const changes: [number, number][] = [];
      for (const file of FILES) {
        answers.set('/feed.pb', ok(recording(`ghent-garages/${file}.json`, 'sensors')));
        const event = await poll();
        if (event.kind !== 'accepted')
          throw new Error(event.kind, { cause: 'error' in event ? event.error : undefined });
        changes.push([event.upserts, event.deletes]);
      }
      expect(changes).toEqual([12, 11, 12, 10, 12, 12].map((upserts) => [upserts, 0]));
      expect(latest.size).toBe(12);
      expect(source.health()).toMatchObject({ state: 'ok', errors: {} });
    });
  },
  'sensors',
);
