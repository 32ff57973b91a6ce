import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { versionOf } from '../version-of.ts';

/** As much of the public package `ldes-client` as is measured here. */
export interface LdesClient {
  replicateLDES(
    options: { url: string; polling: boolean },
    order: 'ascending' | 'none',
  ): { stream(strategy: QueuingStrategy): ReadableStream<{ id: { value: string } }> };
}

// An optional peer of this package. In a clone it is installed for the hand-over example alone.
const PLACES = [import.meta.url, new URL('../../../../examples/hand-over/', import.meta.url)];

function entryPath(): string {
  for (const place of PLACES) {
    try {
      return createRequire(place).resolve('ldes-client');
    } catch {
      // It is looked for at the next place.
    }
  }
  throw new Error('`replay` measures beside ldes-client 0.3.0, which is not installed: npm install ldes-client@0.3.0');
}

/** Its version. Throws with the remedy where it is not installed. */
export function requiredLdesClientVersion(): string {
  return versionOf(entryPath()) ?? 'unknown';
}

/** Loads it. */
export function loadLdesClient(): Promise<LdesClient> {
  return import(pathToFileURL(join(dirname(entryPath()), 'client.js')).href);
}
