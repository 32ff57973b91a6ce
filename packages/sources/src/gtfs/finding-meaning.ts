import type { FindingMeaning } from '@ldes-live/rdf-stream';

const meanings: Readonly<Record<string, FindingMeaning>> = {
  'unknown-field': { title: 'a field that the specification does not have', severity: 'warning' },
  'skipped-entity': { title: 'an entity lacks a field that it must have, and was left out', severity: 'error' },
  'entity-without-content': { title: 'an entity has an id and nothing else', severity: 'error' },
  'entity-without-key': { title: 'an entity has nothing to be told by, and was left out', severity: 'error' },
  'key-fallback': { title: 'an entity is told by less than it should be', severity: 'warning' },
  'key-collision': { title: 'two entities cannot be told apart', severity: 'error' },
  'deleted-by-id-only': { title: 'what is deleted is named by nothing but an entity id', severity: 'warning' },
  'unusable-time': { title: 'a time was left out, since it is none', severity: 'error' },
  'unusable-number': { title: 'a number was left out, since it is none', severity: 'error' },
  'unusable-language': { title: 'a language was left out, since its tag is none', severity: 'error' },
  'unusable-url': { title: 'a link was left out, since it is no web address', severity: 'error' },
  versionTimesBack: { title: 'an entity is older than its newest version', severity: 'warning' },
};

/**
 * What a finding about a feed means; `undefined` for one that is not listed.
 *
 * @param finding - as it is counted, with or without details after a colon
 * @see specs/gtfs-realtime.md GTFS-54
 */
export function findingMeaning(finding: string): FindingMeaning | undefined {
  const [name = ''] = finding.split(':', 1);
  return Object.hasOwn(meanings, name) ? meanings[name] : undefined;
}
