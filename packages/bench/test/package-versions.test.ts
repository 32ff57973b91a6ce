import { expect, test } from 'vitest';
import { packageVersions } from '../src/package-versions.ts';

test('versions are those of packages that are installed', () => {
  const versions = packageVersions(['fastify', '@ldes-live/none-such']);
  expect(Object.keys(versions)).toEqual(['fastify']);
  expect(versions.fastify).toMatch(/^\d+\.\d+\.\d+/);
});
