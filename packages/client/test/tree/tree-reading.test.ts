import { size } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import type { TreeReading } from '../../src/tree/reading.ts';
import { BASE, ModelPublisher, membersOf, openModel, PREFIXES } from './model-publisher.ts';
import { at, DAY, IMMUTABLE, member, ROOT, relation, run, runOf, ScriptedPages, saved } from './scripted-pages.ts';

test.each([
  ['its root', `${BASE}/root`],
  ['its own IRI', `${BASE}/s`],
  ['a redirect to the root', `${BASE}/moved`],
  ['an overview with one view', `${BASE}/overview`],
])('READ-1 a stream is found from %s', async (_, url) => {
  const root = ROOT + member('a1', '01:00');
  const pages = {
    '/root': root,
    '/s': '<s> tree:view <root> .',
    '/moved': { to: '/root' },
    '/overview': '<> a ex:Catalogue . <s> tree:view <root> .',
  };
  expect((await runOf(pages, {}, { url })).ids).toEqual(['a1']);
});

test('READ-1 what the overview says of the stream counts', async () => {
  const overview = '<s> tree:view <root> ; ldes:timestampPath ex:at .';
  const { members } = await runOf({ '/s': overview, '/root': member('a1', '01:00') }, {}, { url: `${BASE}/s` });
  expect(members).toMatchObject([{ id: `${BASE}/a1`, time: `${DAY}01:00:00.000Z` }]);
});

test.each([
  ['two streams', '<s> tree:view <root> . <t> tree:view <root> .', 'ERR_TREE_VIEW_AMBIGUOUS'],
  ['two views', '<s> tree:view <a>, <b> .', 'ERR_TREE_VIEW_AMBIGUOUS'],
  ['no view', '<s> tree:member <a> .', 'ERR_TREE_VIEW_MISSING'],
])('READ-2 a document with %s is refused', async (_, text, code) => {
  await expect(new ScriptedPages(text).open()).rejects.toMatchObject({ code });
});

test('READ-4 the context is gathered from the stream, the root and the view description', async () => {
  const pages = new ScriptedPages(`<s> tree:view <root> ; ldes:timestampPath ex:at .
    <root> tree:viewDescription <d> ; ldes:versionOfPath ex:of .
    <d> ldes:pollingInterval 30 ; ldes:retentionPolicy <r> . <r> ldes:versionAmount 2 .`);
  expect((await pages.open()).context).toMatchObject({
    stream: `${BASE}/s`,
    timestampPath: { kind: 'predicate', iri: 'http://example.org/at' },
    versionOfPath: { kind: 'predicate', iri: 'http://example.org/of' },
    pollingIntervalMs: 30_000,
    retention: { versionAmount: 2 },
  });
});

test.each([
  ['ldes:fullLogDuration "P1DT1H"^^xsd:duration', { fullLogMs: 25 * 3_600_000 }],
  ['ldes:fullLogDuration "P1W"^^xsd:duration', { fullLogMs: 7 * 86_400_000 }],
  ['ldes:versionAmount 3', { versionAmount: 3 }],
  ['ldes:versionAmount 0', {}],
  [`ldes:startingFrom "${DAY}00:00:00Z"^^xsd:dateTime`, { startingFrom: `${DAY}00:00:00Z` }],
  ['a ldes:DurationAgoPolicy ; tree:value "P1W"^^xsd:duration', {}],
  [
    'ldes:versionDuration "PT1M"^^xsd:duration ; ldes:versionDeleteDuration "PT0.5S"^^xsd:duration',
    { versionMs: 60_000, versionDeleteMs: 500 },
  ],
])('READ-4 retention is read from %s', async (policy, retention) => {
  const pages = new ScriptedPages(`${ROOT}<root> ldes:retentionPolicy <r> . <r> ${policy} .`);
  expect((await pages.open()).context.retention).toEqual(retention);
});

test.each([
  ['a sequence', '( ex:made ex:at )', '<a1> ex:made [ ex:at'],
  ['an inverse', '[ sh:inversePath ex:made ]', '<x1> ex:made <a1> . <a1> ex:other [ ex:at'],
  ['an inverse in a sequence', '( [ sh:inversePath ex:made ] ex:at )', '<x1> ex:made <a1> ; ex:at'],
  ['alternatives', '[ sh:alternativePath ( ex:never ex:at ) ]', '<a1> ex:at'],
  ['no repetition', '( [ sh:zeroOrMorePath ex:made ] ex:at )', '<a1> ex:at'],
])('READ-4 %s is a path to a time', async (name, path, start) => {
  const closing = ' ]'.repeat(start.split('[').length - 1);
  const root = `<s> tree:view <root> ; ldes:timestampPath ${path} ; tree:member <a1> .`;
  const { members, scripted } = await runOf(`${root} ${start} ${at('01:00')}${closing} .`);
  const isTime = name !== 'an inverse' && name !== 'no repetition';
  expect(members[0]?.time).toBe(isTime ? `${DAY}01:00:00.000Z` : new Date(scripted.nowMs).toISOString());
});

test('READ-10, READ-24 pages that all relations together leave no room are not asked for', async () => {
  const spanOf = (page: string, low: string, high: string) =>
    relation(page, 'GreaterThanOrEqualToRelation', at(low)) + relation(page, 'LessThanRelation', at(high));
  const pages = {
    '/root': ROOT + spanOf('early', '00:00', '06:00') + spanOf('late', '06:00', '12:00'),
    '/early': member('a1', '05:00'),
    '/late': member('b1', '06:00'),
  };
  const { ids, scripted } = await runOf(pages, { after: `${DAY}06:00:00Z`, before: `${DAY}09:00:00Z` });
  expect([ids, scripted.requests]).toEqual([['b1'], ['/root', '/late']]);
});

test('READ-10 relations on other paths, of other types and with other values leave everything open', async () => {
  const pages = {
    '/root':
      ROOT +
      relation('p', 'GreaterThanOrEqualToRelation', at('23:00'), 'ex:measured') +
      relation('q', 'PrefixRelation', '"x"') +
      relation('o', 'GreaterThanRelation', `${at('23:00')}, "late"`) +
      relation('r', 'GeospatiallyContainsRelation', '"POINT(0 0)"'),
    ...Object.fromEntries([...'pqor'].map((name) => [`/${name}`, member(`${name}1`, '05:00')])),
  };
  const { ids } = await runOf(pages, { before: `${DAY}06:00:00Z` });
  expect(ids.sort()).toEqual(['o1', 'p1', 'q1', 'r1']);
});

test.each([
  ['the header', IMMUTABLE, ''],
  ['a triple', {}, '<p> ldes:immutable true .'],
])('READ-13 a page that is immutable by %s is asked for once', async (_, headers, triple) => {
  const pages = new ScriptedPages({
    '/root': ROOT + relation('p'),
    '/p': { text: triple + member('a1', '01:00'), ...headers },
  });
  const reading = await pages.open();
  await run(reading);
  expect((await run(reading)).ids).toEqual([]);
  expect(pages.requests).toEqual(['/root', '/p', '/root']);
  const resumed = await pages.open({ state: saved(reading) });
  expect((await run(resumed)).ids).toEqual([]);
  expect(pages.requests.slice(3)).toEqual(['/root']);
});

test('READ-13 a page of a time that has passed is asked for once more, then never again', async () => {
  const pages = new ScriptedPages({
    '/root': ROOT + relation('p', 'LessThanRelation', at('02:00')) + relation('q'),
    '/p': member('a1', '01:00'),
    '/q': member('b1', '03:00'),
  });
  const reading = await pages.open();
  await run(reading);
  pages.nowMs += 1000;
  pages.pages['/p'] = member('a1', '01:00') + member('a2', '01:30');
  expect((await run(reading)).ids).toEqual(['a2']);
  await run(reading);
  const times = (page: string) => pages.requests.filter((path) => path === page).length;
  expect([times('/p'), times('/q')]).toEqual([2, 3]);
});

test('READ-15 a member is its star, its graph and its blank nodes, with labels of its own', async () => {
  const text = `${PREFIXES}${ROOT}<s> tree:member <a1>, <a2> .
    <a1> ex:at ${at('01:00')} ; ex:part _:x . _:x ex:part _:y . _:y ex:value 1 .
    <a2> ex:at ${at('01:00')} ; ex:part _:x ; ex:other <a1> .
    <a1> { <thing> ex:value 2 ; ex:part _:z . } <g> { _:z ex:value 3 . <a1> ex:not ex:included . }`;
  const { members } = await runOf({ '/root': { text, type: 'application/trig' } });
  const [first = [], second = []] = members.map(({ quads }) => quads);
  expect([first.length, second.length]).toEqual([7, 5]);
  const values = first.filter(({ predicate }) => predicate.value === 'http://example.org/value');
  expect(values.map(({ object }) => object.value).sort()).toEqual(['1', '2', '3']);
  const [labels = [], others] = [first, second].map((quads) =>
    quads
      .flatMap(({ subject, object }) => [subject, object])
      .flatMap(({ termType, value }) => (termType === 'BlankNode' ? [value] : [])),
  );
  expect(labels.filter((label) => others?.includes(label))).toEqual([]);
});

const MEMBER = `<${BASE}/s> <https://w3id.org/tree#member> <${BASE}/a1> .\n<${BASE}/a1> <urn:p> "1" .\n`;

test.each([
  ['application/n-quads', MEMBER],
  ['application/n-triples', MEMBER],
  ['application/trig', MEMBER],
  ['text/turtle', MEMBER],
  ['application/ld+json', `{"@id":"s","https://w3id.org/tree#member":{"@id":"a1","urn:p":"1"}}`],
])('pages in %s are read', async (type, text) => {
  expect((await runOf({ '/root': ROOT + relation('p'), '/p': { text, type } })).ids).toEqual(['a1']);
});

test('READ-17 a page that may change is asked for by its entity tag', async () => {
  const text = ROOT + member('a1', '01:00');
  const pages = new ScriptedPages({ '/root': { text, headers: { etag: '"1"' } } });
  const reading = await pages.open();
  await run(reading);
  await run(reading);
  expect(pages.asked.map(({ headers }) => headers.get('if-none-match'))).toEqual([null, '"1"']);
  pages.pages['/root'] = { text: text + member('b1', '02:00'), headers: { etag: '"2"' } };
  expect((await run(reading)).ids).toEqual(['b1']);
});

test('READ-19 a page that is gone is empty, for good', async () => {
  const pages = new ScriptedPages({
    '/root': ROOT + relation('p') + relation('q'),
    '/p': { status: 410 },
    '/q': member('a1', '01:00'),
  });
  const reading = await pages.open();
  expect((await run(reading)).ids).toEqual(['a1']);
  await run(reading);
  expect(pages.requests.filter((path) => path === '/p')).toHaveLength(1);
});

/** One run, of which the members are known also where it fails; none comes twice. */
async function runInto(reading: TreeReading, read: Set<string>): Promise<void> {
  for await (const { id } of membersOf(reading)) {
    expect(read).not.toContain(id);
    read.add(id);
  }
}

test.each([404, 429, 503])('READ-19 after %i the next run goes on', async (status) => {
  const pages = new ScriptedPages({
    '/root': { text: ROOT + relation('p') + relation('q'), headers: { etag: '"1"' } },
    '/p': member('a1', '01:00'),
    '/q': { status, headers: { 'retry-after': '7' } },
  });
  const reading = await pages.open();
  const read = new Set<string>();
  await expect(runInto(reading, read)).rejects.toMatchObject({ code: 'ERR_RESPONSE_STATUS', details: { status } });
  pages.pages['/q'] = member('b1', '02:00');
  await runInto(reading, read);
  expect([...read].sort()).toEqual([`${BASE}/a1`, `${BASE}/b1`]);
});

test('READ-19 a page that always fails holds up no other', async () => {
  const names = [...'abcdefghijkl'];
  const reading = await new ScriptedPages({
    '/root': ROOT + relation('bad') + names.map((name) => relation(name)).join(''),
    '/bad': { status: 500 },
    ...Object.fromEntries(names.map((name) => [`/${name}`, member(`${name}1`, '01:00')])),
  }).open();
  const read = new Set<string>();
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await expect(runInto(reading, read)).rejects.toMatchObject({ details: { status: 500 } });
  }
  expect(read.size).toBe(12);
});

test('READ-19 a missing page to which nothing leads any more is not missed', async () => {
  const pages = new ScriptedPages({ '/root': { text: ROOT + relation('p'), headers: { etag: '"1"' } } });
  const reading = await pages.open();
  await expect(run(reading)).rejects.toMatchObject({ details: { status: 404 } });
  pages.pages['/root'] = { text: ROOT + relation('q'), headers: { etag: '"2"' } };
  pages.pages['/q'] = member('a1', '01:00');
  expect((await run(reading)).ids).toEqual(['a1']);
  expect(pages.requests).toEqual(['/root', '/p', '/root', '/q']);
});

const FLAT = {
  kind: 'flat',
  pageMembers: 250,
  isBounded: true,
  immutable: 'header',
  overlaps: false,
  hasEtags: true,
} as const;

test('READ-20 history that is put on other pages is not handed out again', async () => {
  const publisher = new ModelPublisher(FLAT);
  publisher.publish(5000, 1000);
  const reading = await openModel(publisher);
  expect((await run(reading)).ids).toHaveLength(5000);
  const state = saved(reading);
  const other = new ModelPublisher({ ...publisher.layout, pageMembers: 500, kind: 'nested' }, 'day');
  other.times.push(...publisher.times);
  other.nowMs = publisher.nowMs;
  other.publish(3, 1000);
  expect((await run(await openModel(other, { state }))).ids).toEqual(['m/5000', 'm/5001', 'm/5002']);
});

test.each<[string, Parameters<ScriptedPages['open']>[0], string, string[]]>([
  [
    'in order, the end of a transaction after the others of its time',
    { order: 'ascending' },
    `<s> ldes:transactionPath ex:tx ; ldes:transactionFinalizedPath ex:end .
      ${member('a1', '01:00', '; ex:end true')}${member('a2', '01:00')}${member('a0', '00:30')}`,
    ['a0', 'a2', 'a1'],
  ],
  [
    'as latest, nothing of a deleted entity',
    { from: 'latest' },
    member('a2', '02:00', '; a as:Delete') + member('a1', '01:00') + member('b1', '01:00'),
    ['b1'],
  ],
  // Not waited for.
  ['what is dated to come, in order', { order: 'ascending' }, member('b1', '2030-01-01T00:00:00Z'), ['b1']],
])('READ-21 READ-23 handed out is %s', async (_what, request, text, expected) => {
  const { ids, scripted } = await runOf(ROOT + text, request);
  expect([ids, scripted.requests]).toEqual([expected, ['/root']]);
});

test.each([
  ['as:Delete', '', '; a as:Delete', 'delete'],
  ['a type of its own', '<s> ldes:versionDeleteObject ex:Gone .', '; a ex:Gone', 'delete'],
  ['a path of its own', '<s> ldes:versionDeletePath ex:gone .', '; ex:gone true', 'delete'],
  ['nothing', '<s> ldes:versionDeletePath ex:gone .', '; ex:gone false', 'upsert'],
])('READ-29 a member is deleted by %s', async (_, context, more, kind) => {
  const { members } = await runOf(ROOT + context + member('a1', '01:00', more));
  expect(members).toMatchObject([{ kind, entity: `${BASE}/e-a` }]);
});

test.each([
  ['in order', ['1-12', '2-11', '3-', '4-10', '5-09']],
  ['backwards', ['5-09', '4-10', '3-', '2-11', '1-12']],
  ['the end last', ['2-11', '5-09', '1-12', '4-10', '3-']],
])('READ-23 the newest is the latest of its own time since the end, read %s', async (_, versions) => {
  const members = versions.map((version) => {
    const [published, hour] = version.split('-');
    const own = hour ? `; ex:own "${DAY}${hour}:00:00"^^xsd:dateTime` : '; a as:Delete';
    return member(`a${published}`, `${DAY}0${published}:00:00Z`, own);
  });
  const root = `${ROOT}<s> ldes:versionTimestampPath ex:own .`;
  expect((await runOf(root + members.join(''), { from: 'latest' })).ids).toEqual(['a4']);
});

test('READ-27 the reading ends when no page can change', async () => {
  const { end } = await runOf({ '/root': { text: ROOT + member('a1', '01:00'), ...IMMUTABLE } });
  expect(end).toMatchObject({ finished: true });
});

test.each([
  [59_999, false],
  [60_000, true],
])('READ-27 the reading of a time, %i ms after it: finished is %s', async (afterMs, finished) => {
  const pages = new ScriptedPages(ROOT);
  const before = new Date(pages.nowMs - afterMs).toISOString();
  // A server's clock is known to a second.
  const reading = await pages.open({ before });
  expect((await run(reading)).end.finished).toBe(finished);
});

test('the state does not grow with the history', async () => {
  const sizes = [];
  for (const members of [5_000, size({ gate: 10_000, night: 20_000 })]) {
    const publisher = new ModelPublisher(FLAT);
    publisher.publish(members, 1000);
    const reading = await openModel(publisher);
    let largest = 0;
    for await (const { sequence } of membersOf(reading)) {
      if (sequence % 500 === 0) largest = Math.max(largest, JSON.stringify(reading.state()).length);
    }
    const pages = members / 250;
    expect(largest).toBeLessThan(40_000 + 250 * 9 + pages * 130);
    sizes.push(JSON.stringify(reading.state()).length - pages * 9);
  }
  expect(Math.abs((sizes[1] as number) - (sizes[0] as number))).toBeLessThan(200);
});

test.each([
  [{ order: 'ascending' as const }, 'ERR_TREE_ORDER_UNKNOWN'],
  [{ after: `${DAY}00:00:00Z` }, 'ERR_TREE_TIME_UNKNOWN'],
  [{ state: { version: 2 } as never }, 'ERR_TREE_STATE_INVALID'],
])('READ-32 %o, which cannot be asked of a stream without times, is refused', async (request, code) => {
  await expect(new ScriptedPages('<s> tree:view <root> .').open(request)).rejects.toMatchObject({ code });
});

test('a member without a time cannot be handed out in order', async () => {
  const root = `${ROOT}<s> tree:member <a1> . <a1> ex:of <e> .`;
  await expect(runOf(root, { order: 'ascending' })).rejects.toMatchObject({ code: 'ERR_TREE_MEMBER_UNORDERED' });
  expect((await runOf(root)).ids).toEqual(['a1']);
});
