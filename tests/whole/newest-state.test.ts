/* One newest state in every face: what a log, its documents and events, queries and readers take for the newest versions. */
import { createLiveClient, type FollowOptions } from '@ldes-live/client';
import {
  type Commit,
  type Draft,
  isStreamError,
  literal,
  namedNode,
  parseQuads,
  quad,
  tree,
} from '@ldes-live/rdf-stream';
import { readEvents } from '@ldes-live/test-support/events';
import { eventually } from '@ldes-live/test-support/eventually';
import { check, Floors, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { NewestVersions, type Reading } from '../../packages/client/src/tree/members.ts';
import { LatestView } from '../../packages/query/src/views/view.ts';
import { publishedLog } from '../support/published-log.ts';

const WGS = 'http://www.w3.org/2003/01/geo/wgs84_pos#';

const change = fc.record({
  entity: fc.nat(2),
  /** The hour of the source; 0 for an end. */
  hour: fc.option(fc.constantFrom(0, 9, 10, 11, 12), { nil: undefined }),
  form: fc.nat(2),
});
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;
const commits = fc.array(fc.uniqueArray(change, { selector: ({ entity }) => entity, minLength: 1 }), { maxLength: 12 });

/** The same hour in UTC, in another zone and without one. */
const timeOf = ({ hour = 0, form }: Change) =>
  [`2026-01-01T${hour}:00:00Z`, `2026-01-01T${hour + 1}:00:00+01:00`, `2026-01-01T${hour}:00:00`][form]?.replace(
    'T9',
    'T09',
  );

function draftOf(entity: string, given: Change, state: number): Draft {
  if (given.hour === 0) return { kind: 'delete', entity, origin: 'test' };
  const says = (name: string, value: string) => quad(namedNode(entity), namedNode(WGS + name), literal(value));
  const versionTime = given.hour === undefined ? undefined : timeOf(given);
  const time =
    versionTime === undefined ? [] : [quad(namedNode(entity), namedNode(RESULT_TIME), literal(versionTime, DATE_TIME))];
  const quads = [says('lat', String(state % 80)), says('long', '3'), ...time];
  return { kind: 'upsert', entity, origin: 'test', fingerprint: String(state), versionTime, quads };
}
const RESULT_TIME = 'http://www.w3.org/ns/sosa/resultTime';
const DATE_TIME = 'http://www.w3.org/2001/XMLSchema#dateTime';

/** The newest versions of any order of reading, as the client takes them of an LDES that is not its own. */
function readInAnyOrder(published: readonly Commit[]): string[] {
  const newest = new NewestVersions();
  const readings = published
    .flatMap(({ members }) => members)
    .map(({ id, entity, kind, versionTime, time, sequence, quads }) => {
      const own = versionTime && Date.parse(/Z|\+/.test(versionTime) ? versionTime : `${versionTime}Z`);
      return { member: { id, entity, kind, versionTimeMs: own, timeMs: Date.parse(time), sequence, quads } };
    });
  // Neither in order nor backwards.
  const shuffled = readings.map((reading, index) => [(index * 7) % 11, reading] as const).sort(([a], [b]) => a - b);
  for (const [order, [, reading]] of shuffled.entries()) newest.add({ ...reading, order } as unknown as Reading);
  return Array.from(newest.drain(), ({ member }) => member.id);
}

test('DOC-76 the newest state is one in the log, its documents and events, queries and readers', async () => {
  const server = await publishedLog({ clock: Date.now });
  const { log, url } = server;
  const met = new Floors({ older: 10, 'begun anew': 3 });
  const newest = new Map<string, string>();
  let run = 0;
  await check(
    fc.asyncProperty(commits, async (steps) => {
      run += 1;
      const known = new Map<string, { hour: number | undefined; id: string }>();
      const ended = new Set<string>();
      const published: Commit[] = [];
      const view = new LatestView(1);
      for (const step of steps) {
        const living = step.filter(({ entity, hour }) => hour !== 0 || known.has(`${url}/entities/${run}-${entity}`));
        if (living.length === 0) continue;
        const drafts = living.map((given) =>
          draftOf(`${url}/entities/${run}-${given.entity}`, given, published.length),
        );
        const commit = await log.append(drafts);
        published.push(commit);
        view.apply(0, commit);
        for (const [index, { id, entity }] of commit.members.entries()) {
          const { hour } = living[index] as Change;
          const before = known.get(entity);
          if (hour === 0) {
            known.delete(entity);
            ended.add(entity);
          } else if (hour === undefined || before?.hour === undefined || hour >= before.hour) {
            if (!before && ended.has(entity)) met.count('begun anew');
            known.set(entity, { hour, id });
          } else met.count('older');
        }
      }
      const expected = Array.from(known.values(), ({ id }) => id).sort();
      for (const [entity, { id }] of known) newest.set(entity, id);
      const ofLog = (await log.readLatest()).filter(({ entity }) => entity.startsWith(`${url}/entities/${run}-`));
      expect(ofLog.map(({ id }) => id).sort()).toEqual(expected);
      expect(readInAnyOrder(published).sort()).toEqual(expected);
      expect(view.size).toBe(ofLog.reduce((sum, { quads }) => sum + quads.length, 0));
    }),
    { numRuns: 60, met },
  );

  const all = [...newest.values()].sort();
  const idsOf = async (text: string, format: 'nquads' | 'jsonld') =>
    (await parseQuads(text, format, url)).flatMap(({ predicate, object }) =>
      predicate.value === tree.member ? [object.value] : [],
    );
  const documentOf = async (path: string) =>
    idsOf(await (await fetch(url + path, { headers: { accept: 'application/n-quads' } })).text(), 'nquads');
  expect((await documentOf('/latest')).sort()).toEqual(all);
  expect((await documentOf('/tiles')).sort()).toEqual(all);
  for (const [entity, id] of [...newest].slice(-20)) {
    const text = await (await fetch(entity, { headers: { accept: 'application/n-quads' } })).text();
    expect(text).toContain(`<${id}> <http://purl.org/dc/terms/isVersionOf>`);
  }

  const head = `${log.head.cursor.epoch}-${log.head.cursor.sequence}`;
  const middle = `${log.head.cursor.epoch}-${Math.floor(log.head.cursor.sequence / 2)}`;
  const events = await readEvents(`${url}/events?from=latest`);
  await eventually(() => expect(events.events.at(-1)?.id).toBe(head));
  events.close();
  const updates = events.events.filter(({ event }) => event === 'update').map(({ data }) => idsOf(data, 'jsonld'));
  expect((await Promise.all(updates)).flat().sort()).toEqual(all);

  const client = createLiveClient({ mal: 1, limits: { bufferEntities: 5 } });
  const mine = async (request: FollowOptions) => {
    const stop = new AbortController();
    const follower = client.follow(url, { ...request, signal: stop.signal });
    const own = new Map<string, string>();
    follower.on('caught-up', () => stop.abort());
    try {
      for await (const { kind, isNewest, member } of follower) {
        if (kind === 'delete') own.delete(member.entity);
        else if (isNewest) own.set(member.entity, member.id);
      }
    } catch (error) {
      if (isStreamError(error) || !stop.signal.aborted) throw error;
    }
    expect(Array.from(follower.latest().values(), ({ id }) => id).sort()).toEqual([...own.values()].sort());
    return [...own.values()].sort();
  };
  expect(await mine({ from: 'start' })).toEqual(all);
  expect(await mine({ from: 'latest' })).toEqual(all);
  expect(await mine({ from: 'start', versions: 'newest' })).toEqual(all);
  expect(await mine({ from: middle })).not.toEqual([]);
  await server.close();
});
