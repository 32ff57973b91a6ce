import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const source = new URL('../src/', import.meta.url);

/** What is imported, from outside of the package, by a file and all that it leads to. */
function outsideImports(entry: string): Set<string> {
  const outside = new Set<string>();
  const files = new Set([new URL(entry, source).href]);
  for (const file of files) {
    for (const [, specifier] of readFileSync(new URL(file), 'utf8').matchAll(/(?:from|import\() ?'([^']+)'/g)) {
      if (specifier?.startsWith('.')) files.add(new URL(specifier, file).href);
      else outside.add(specifier as string);
    }
  }
  return outside;
}

test('what readers import needs nothing of Node.js: it can be bundled for browsers', () => {
  const outside = [...outsideImports('index.ts')];
  expect(outside).toContain('n3');
  expect(outside.filter((name) => name.startsWith('node:'))).toEqual([]);
  expect(outside).not.toContain('readable-stream');
  expect([...outsideImports('push-encoding.ts')]).toEqual(['node:zlib']);
});
