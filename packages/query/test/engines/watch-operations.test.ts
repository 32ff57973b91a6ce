import { QueryEngine } from '@comunica/query-sparql-rdfjs';
import { expect, test } from 'vitest';
import { watchOperations } from '../../src/engines/watch-operations.ts';

test('the operations of the pinned Comunica can be watched, and an engine made otherwise is left as it is', () => {
  expect(watchOperations(new QueryEngine())).toBe(true);
  expect(watchOperations({})).toBe(false);
});
