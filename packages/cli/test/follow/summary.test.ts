import type { Change } from '@ldes-live/client';
import { languageLiteral, literal, type Member, namedNode, parseQuads, quad } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { EntityMemory, entityName, lagText, Summary } from '../../src/follow/summary.ts';
import { clockTime } from '../../src/terminal.ts';
import { change, gap, START } from './made-changes.ts';

const at = clockTime(START);
const status = { mode: 'push', reason: 'the reason', isInTrouble: false, isCaughtUp: true } as const;

test('mode and reason are reported once, and again when either changes', () => {
  const summary = new Summary();
  const report = (over: object) => summary.statusLines({ ...status, ...over }, START);
  expect(report({})).toBe(`${at}  push: the reason\n`);
  expect(report({})).toBe('');
  expect(report({ reason: 'other' })).toBe(`${at}  push: other\n`);
  expect(report({ reason: 'other', mode: 'pull' })).toBe(`${at}  pull: other\n`);
});

test('that the source fails is reported once, with the age of the data, and that it works again', () => {
  const summary = new Summary();
  const since = '2026-11-20T08:57:00.000Z';
  const local = clockTime(Date.parse(since));
  const report = (over: object) => summary.statusLines({ ...status, ...over }, START).slice(`${at}  `.length);
  const failing = { source: { state: 'failing', since }, dataAgeMs: 190_000 };
  const works = { source: { state: 'ok' }, dataAgeMs: 400 };
  report(works);
  expect(report({ source: failing.source, isCaughtUp: false })).toBe('');
  expect(report(failing)).toBe(`the source has been failing since ${local}; the newest data are 3 min old\n`);
  expect(report({ ...failing, dataAgeMs: 200_000 })).toBe('');
  expect(report(works)).toBe('the source works again; the newest data are 400 ms old\n');
  expect(report(works)).toBe('');
  // The server itself is cut off.
  const lost = { ...failing, source: { ...failing.source, completeTo: since } };
  expect(report(lost)).toBe(`this server cannot reach the other nodes since ${local}; the newest data are 3 min old\n`);
  expect(report(works)).toBe('this server reaches the other nodes again; the newest data are 400 ms old\n');
  expect(report({ source: failing.source })).toBe(`the source has been failing since ${local}\n`);
});

test('what is wrong is reported with local times, and after how long the server is back', () => {
  const summary = new Summary();
  const trouble = (sinceMs: number) => {
    const reason = `failing since ${new Date(sinceMs).toISOString()}: gone`;
    return { ...status, isInTrouble: true, reason };
  };
  expect(summary.statusLines(trouble(START), START)).toBe(`${at}  push: failing since ${at}: gone\n`);
  const later = clockTime(START + 19_700);
  expect(summary.statusLines(status, START + 19_700)).toBe(
    `${later}  working again after 19.7 s\n${later}  push: ${status.reason}\n`,
  );
  const yesterday = new Summary().statusLines(trouble(START - 86_400_000), START);
  expect(yesterday).toBe(`${at}  push: failing since 2026-11-19 ${at}: gone\n`);
});

test.each([
  [340, 0, 400, 'at most 340 ms late, 0 over the MAL of 1 s; the next one is expected within 400 ms'],
  [1000, 0, 1000, 'at most 1.0 s late, 0 over the MAL of 1 s; the next one is expected within 1.0 s'],
  [1004, 1, 1049, 'at most 1004 ms late, 1 over the MAL of 1 s; the next one is expected within 1049 ms, over the MAL'],
])('measured %d ms with %d misses, expected %d ms: %s', (maxLagMs, malMisses, lagBoundMs, text) => {
  expect(lagText({ updates: 36, maxLagMs, malMisses, lagBoundMs }, 1, false)).toBe(`36 updates, ${text}`);
});

test.each([Number.POSITIVE_INFINITY, 0])('before the first read or delivery nothing is expected: %d', (bound) => {
  const none = { updates: 0, maxLagMs: 0, malMisses: 0, lagBoundMs: bound };
  expect(lagText(none, 1, false)).toBe('0 updates, 0 over the MAL of 1 s');
  expect(lagText(none, 1, true)).toBe('0 updates, 0 over the MAL of 1 s; the stream has ended');
});

const lines = async (summary: Summary, ...changes: readonly Change[]) =>
  (await summary.changeLines(changes, START)).replaceAll(`${at}  `, '').trimEnd().split(/\n */);

test('what arrives together: how many of what by which way, the lag, a few names', async () => {
  const summary = new Summary();
  const first = ['101', '102', '103', '104', '105'].map((name) => change(name));
  expect(await lines(summary, ...first)).toEqual(['push  5 new  lag 20 ms', '101', '102', '103', 'and 2 more']);
  const second = [change('101', { lagMs: 250 }), change('102', { kind: 'delete' }), change('106')];
  const counts = 'push  1 new, 1 changed, 1 gone  lag 250 ms';
  expect(await lines(summary, ...second)).toEqual([counts, '101', '102: gone', '106']);
  const polled = { ...change('102'), via: 'pull' } as const;
  expect(await lines(summary, polled, change('101', { publishedMs: START - 1, lagMs: 3_600_000 }))).toEqual([
    ...['pull  1 new  lag 20 ms', '102'],
    ...['push  1 changed', '101'],
  ]);
});

test('a gap stands between what came before and after, and all is new after it', async () => {
  const gapLine = 'gap   e-1 cannot be continued: the latest state follows';
  const around = ['push  1 new  lag 20 ms', '101'];
  expect(await lines(new Summary(), change('101'), gap, change('101'))).toEqual([...around, gapLine, ...around]);
});

test('of an entity the values are shown, numbers first, then only what changed of them', async () => {
  const summary = new Summary();
  const moved = async (speed: number) => {
    const made = change('1');
    const text = `<v1> <ns#line> "3" ; <http://purl.org/dc/terms/identifier> "v" ; <ns#speed> ${speed} .`;
    const quads = await parseQuads(text, 'turtle', 'http://a/');
    return { ...made, member: { ...made.member, id: 'http://a/v1', quads } };
  };
  expect((await lines(summary, await moved(5)))[1]).toBe('1: speed 5, line 3');
  expect((await lines(summary, await moved(6)))[1]).toBe('1: speed 6');
});

test('an entity is new, then changed, then gone, then new again; the longest unchanged is forgotten first', () => {
  const memory = new EntityMemory(2);
  const label = (name: string, kind?: 'delete') => memory.changeLabel(change(name, kind && { kind }));
  expect([label('a'), label('a'), label('a', 'delete'), label('a')]).toEqual(['new', 'changed', 'gone', 'new']);
  expect([label('b'), label('a'), label('c'), label('a'), label('b')].slice(2)).toEqual(['new', 'changed', 'new']);
});

const LABEL = 'http://www.w3.org/2000/01/rdf-schema#label';

function memberOf(entity: string, ...labels: readonly [string, ReturnType<typeof literal>][]): Member {
  const id = `${entity}#1`;
  const quads = labels.map(([property, label]) => quad(namedNode(id), namedNode(property), label));
  return { id, entity, kind: 'upsert', sequence: 1, time: '2026-11-20T09:00:00.000Z', quads };
}

test('the first label names an entity', () => {
  const labels: [string, ReturnType<typeof literal>][] = [
    [LABEL, literal('Tram 101')],
    [LABEL, languageLiteral('Tram honderd een', 'nl')],
  ];
  expect(entityName(memberOf('http://a/s/entities/vehicles/101', ...labels))).toBe('Tram 101');
  expect(entityName(memberOf('http://a/1', ['http://purl.org/dc/terms/title', literal('Works')]))).toBe('Works');
});

test.each([
  ['http://a/s/entities/trips/1-out-0215/20261121/02:15:00', '1-out-0215'],
  ['http://a/b/s/entities/vehicles/4382', '4382'],
  ['http://a/s/entities/trips/%E5%9C%9F', '土'],
  ['http://a/s/entities/trips/%E5', '%E5'],
  ['http://a/parkings/sint-pietersplein', 'sint-pietersplein'],
  ['http://a/parkings/', 'parkings/'],
  ['http://a/list#first', 'first'],
  ['urn:uuid:1', 'urn:uuid:1'],
])('%s is called %s for want of a label', (iri, name) => {
  expect(entityName(memberOf(iri))).toBe(name);
});
