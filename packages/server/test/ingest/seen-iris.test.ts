import { expect, test } from 'vitest';
import { SeenIris } from '../../src/ingest/seen-iris.ts';

test('ING-12 knows each of very many IRIs again, and takes none for another', () => {
  const seen = new SeenIris(() => 0.5);
  const iri = (number: number) => `http://city.example/id/observation/${number}`;
  for (let number = 0; number < 200_000; number += 1) expect(seen.add(iri(number)) || number).toBe(true);
  for (let number = 0; number < 200_000; number += 997) expect(seen.add(iri(number))).toBe(false);
});
