import { expect, test } from 'vitest';
import { read } from './documents.ts';

const geojson = (document: unknown) => read(JSON.stringify(document), { format: 'geojson' });

test.each([
  { type: 'FeatureCollection', features: [] },
  { type: 'Feature', geometry: null, properties: {} },
  { type: 'Point', coordinates: [1, 2] },
])('MAP-76 %j is GeoJSON', (document) => {
  expect(geojson(document)).toEqual(document);
});

test.each([{}, { type: 'Topology' }, { features: [] }, [], null, 5, 'Feature'])('MAP-76 %j is none', (document) => {
  expect(geojson(document)).toMatchObject({ code: 'ERR_DOCUMENT_MALFORMED', reason: 'its type is none of GeoJSON' });
});

test('MAP-76 a collection without a list of features is refused, not taken as empty', () => {
  for (const features of [undefined, null, {}]) {
    expect(geojson({ type: 'FeatureCollection', features })).toMatchObject({
      code: 'ERR_DOCUMENT_MALFORMED',
      reason: 'it has no list of features',
    });
  }
});
