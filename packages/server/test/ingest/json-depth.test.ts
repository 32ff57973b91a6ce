import { expect, test } from 'vitest';
import { tooDeepLine } from '../../src/ingest/json-depth.ts';

test.each([
  ['[[1]]', 2, undefined],
  ['[[1]]', 1, 1],
  ['[\n[\n[]]]', 2, 3],
  ['["[[[", {"a\\"[[": "\\\\"}]', 2, undefined],
  ['["\\\\", [[]]]', 2, 1],
  ['[][][][]', 1, undefined],
  ['"[[[[', 1, undefined],
])('ING-41 finds where %j is deeper than %i', (text, limitDepth, line) => {
  expect(tooDeepLine(text, limitDepth)).toBe(line);
});
