import { compileMapping } from '../../src/mapping/compile-mapping.ts';
import type { CompiledMapping } from '../../src/mapping/compiled-mapping.ts';
import type { Mapping } from '../../src/mapping/mapping.ts';

export const streamUrl = 'https://live.example.org/garages';
export const HEADERS = { 'x-api-key': 's3cret' };

/** A mapping of garages: each with an id, free places, and the time that it was counted. */
export const garageMapping: Mapping = {
  records: 'garages[*]',
  subject: '{+stream}/{id}',
  versionTime: { path: 'at' },
  documentTime: { path: 'made' },
  documentTtl: { path: 'ttl' },
  properties: [{ path: 'free', predicate: 'mv:currentValue', convert: 'integer', required: true }],
};

/** A mapping of readings: each said once, of a sensor. */
export const readingMapping: Mapping = {
  kind: 'observation',
  records: 'readings[*]',
  subject: '{+stream}/readings/{id}',
  series: '{+stream}/sensors/{sensor}',
  versionTime: { path: 'at' },
  properties: [{ path: 'value', predicate: 'sosa:hasSimpleResult', convert: 'decimal', required: true }],
};

export function compiled(mapping: Mapping): CompiledMapping {
  return compileMapping(mapping, { publicUrl: 'https://live.example.org/', streamUrl });
}

/** So many garages, with so many free places each. */
export function garages(count: number, free: number, more: Record<string, unknown> = {}): string {
  const all = Array.from({ length: count }, (_, index) => ({ id: `g${index}`, free }));
  return JSON.stringify({ ...more, garages: all });
}

/** A page of garages, by their ids, and what leads to the next one. */
export function garagePage(ids: readonly string[], next?: string | null): string {
  return JSON.stringify({ next, garages: ids.map((id) => ({ id, free: 1 })) });
}
