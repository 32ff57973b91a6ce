import {
  blankNode,
  type Commit,
  commitDrafts,
  type Draft,
  describeStream,
  literal,
  namedNode,
  prefixes,
  quad,
  rdf,
  sosa,
  xsd,
} from '../src/index.ts';

const publicUrl = 'http://localhost:3000/';

export const description = describeStream({ publicUrl, name: 'vehicles', title: 'Vehicle positions' });

export const streamPrefixes = prefixes;

const versionTime = '2026-01-01T00:00:00.000Z';

/** A vehicle with a nested position. */
export function vehicle(name: string): Draft {
  const entity = `https://agency.example/vehicle/${name}`;
  const subject = namedNode(entity);
  return {
    kind: 'upsert',
    entity,
    origin: 'feed',
    fingerprint: name,
    versionTime,
    quads: [
      quad(subject, namedNode(rdf.type), namedNode(`${prefixes.gtfs}Vehicle`)),
      quad(subject, namedNode(sosa.resultTime), literal(versionTime, xsd.dateTime)),
      quad(subject, namedNode(`${prefixes.geo}hasGeometry`), blankNode('position')),
      quad(blankNode('position'), namedNode(`${prefixes.wgs}lat`), literal('51.050', xsd.decimal)),
      quad(blankNode('position'), namedNode(`${prefixes.rdfs}label`), literal('line 1\nline 2')),
    ],
  };
}

/** The end of a vehicle. */
export function end(name: string): Draft {
  return { kind: 'delete', entity: `https://agency.example/vehicle/${name}`, origin: 'feed' };
}

/** The commit of drafts that follows a sequence number, in epoch `abc`. */
export function commitOf(drafts: readonly Draft[], after = 0, nowMs = Date.parse('2026-01-01T00:00:01Z')): Commit {
  return commitDrafts(
    drafts,
    { cursor: { epoch: 'abc', sequence: after }, timeMs: 0 },
    nowMs,
    description.sequencePath,
  );
}
