import { expect, test } from 'vitest';
import { recordDemo } from '../../src/subjects/record-demo.ts';
import { PUBLIC_URL } from '../../src/subjects/sized-commits.ts';

test('the recording of the demonstration has as many commits as were asked for, and is the same each time', async () => {
  const commits = await recordDemo(PUBLIC_URL, 'vehicles', 4);
  expect(commits).toHaveLength(4);
  expect(commits.every((drafts) => drafts.length > 0)).toBe(true);
  const again = await recordDemo(PUBLIC_URL, 'vehicles', 4);
  expect(again.map((drafts) => drafts.map(({ entity }) => entity))).toEqual(
    commits.map((drafts) => drafts.map(({ entity }) => entity)),
  );
});
