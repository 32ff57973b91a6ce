import { type Draft, documentText, literal, type Member, namedNode, prefixes, quad, xsd } from '@ldes-live/rdf-stream';
import { check, Floors, fc } from '@ldes-live/test-support/properties';
import { expect, test } from 'vitest';
import { atHand, MemberTexts } from '../src/documents/member-texts.ts';
import { emptyStream, entityOf, upsert } from './test-server.ts';

const VALUE = 'http://example.org/value';

/** A draft whose value is of one of several types: contexts cannot read all of them alike. */
function mixed(number: number, kind: number, round: number): Draft {
  const entity = entityOf(number);
  const values = [literal(`${round}`, xsd.integer), literal(`${round}.5`, xsd.double), literal('x'), namedNode(entity)];
  const value = quad(namedNode(entity), namedNode(VALUE), values[kind % 4] as never);
  const clash = quad(namedNode(entity), namedNode('http://example.org/of'), namedNode(`geo:${round}`));
  const place = quad(namedNode(entity), namedNode(`${prefixes.geo}asWKT`), literal('x'));
  const quads = kind < 4 ? [value] : [value, kind === 4 ? clash : place];
  return { kind: 'upsert', entity, origin: 'feed', fingerprint: `${round}`, quads };
}

async function streamOf(limitBytes?: () => number) {
  const { log, description } = await emptyStream();
  const texts = new MemberTexts(log, { description, prefixes, limitBytes });
  const asked: number[] = [];
  const read = async (sequences: readonly number[]): Promise<readonly Member[]> => {
    asked.push(...sequences);
    return log.readMembers(sequences);
  };
  const latest = async () => documentText(await texts.join(log.latest.sequences(), read));
  return { log, description, texts, asked, latest };
}

test('DOC-35 what is joined follows from the members alone, whatever was written and forgotten before', async () => {
  const met = new Floors({ disagreement: 30, forgotten: 30 });
  const rounds = fc.array(fc.array(fc.nat(5), { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 6 });
  await check(
    fc.asyncProperty(rounds, fc.constantFrom(1, 2000, undefined), async (kinds, bytes) => {
      const limitBytes = bytes === undefined ? undefined : () => bytes;
      const { log, description, texts, asked, latest } = await streamOf(limitBytes);
      for (const [round, drawn] of kinds.entries()) {
        const { members } = await log.append(drawn.map((kind, number) => mixed(number, kind, round)));
        // As push does with each commit, and pages with what they hold.
        const pushed = documentText(texts.joined(members));
        expect(documentText(await texts.join(...atHand(members)))).toBe(pushed);
        const anew = new MemberTexts(log, { description, prefixes });
        expect(documentText(anew.joined(members))).toBe(pushed);
        const document = await latest();
        expect(await latest()).toBe(document);
        expect(documentText(await anew.join(...atHand(await log.readLatest())))).toBe(document);
        if (new Set(drawn.map((kind) => kind % 4)).size > 1) met.count('disagreement');
      }
      if (limitBytes !== undefined && asked.length > 0) met.count('forgotten');
    }),
    { numRuns: 300, met },
  );
});

test('a member is read once, however often it is joined, also where it disagrees with others each time', async () => {
  const { log, asked, latest } = await streamOf();
  await log.append([0, 1, 2, 3].map((kind) => mixed(kind, kind, 1)));
  await latest();
  const atFirst = asked.length;
  await latest();
  await latest();
  expect(asked).toHaveLength(atFirst);
  await log.append([mixed(2, 2, 2)]);
  await latest();
  expect(asked.slice(atFirst)).toEqual([5]);
});

test('past the limit replaced versions go first, then the oldest; what is kept stays as it is read again', async () => {
  const { log, description, asked, latest } = await streamOf();
  await log.append(Array.from({ length: 40 }, (_, number) => upsert(number, 0)));
  const bytes = (await latest()).length + 40 * 256;
  // Room for all that live, and for some of those that were replaced.
  const roomy = new MemberTexts(log, { description, prefixes, limitBytes: () => Math.ceil(bytes * 1.5) });
  const joinLatest = (texts: MemberTexts) =>
    texts.join(log.latest.sequences(), (wanted) => {
      asked.push(...wanted);
      return log.readMembers(wanted);
    });
  await joinLatest(roomy);
  for (let round = 1; round <= 60; round += 1) {
    const changed = Array.from({ length: 20 }, (_, number) => upsert(number, round));
    await log.append(changed);
    asked.length = 0;
    await joinLatest(roomy);
    // Those that did not change are never read again.
    expect(asked).toHaveLength(20);
  }
  // Room for a part of those that live: the newest are found each time, and only the others are read.
  const narrow = new MemberTexts(log, { description, prefixes, limitBytes: () => bytes / 2 });
  await joinLatest(narrow);
  asked.length = 0;
  await joinLatest(narrow);
  expect(asked.length).toBeGreaterThan(10);
  expect(asked.length).toBeLessThan(35);
  expect(Math.max(...asked)).toBeLessThan(Math.max(...log.latest.sequences()) - 5);
  // Room for nothing.
  const none = new MemberTexts(log, { description, prefixes, limitBytes: () => 1 });
  for (let time = 0; time < 2; time += 1) {
    asked.length = 0;
    await joinLatest(none);
    expect(asked).toHaveLength(40);
  }
});

test('long work leaves others their turn, and what cannot be read fails as a whole', async () => {
  const { log, texts } = await streamOf();
  const quads = Array.from({ length: 700 }, (_, index) =>
    quad(namedNode(entityOf(1)), namedNode(VALUE), literal(String(index))),
  );
  const wide = (number: number): Draft => ({
    kind: 'upsert',
    entity: entityOf(number),
    origin: 'feed',
    fingerprint: '',
    quads,
  });
  const { members } = await log.append(Array.from({ length: 30 }, (_, number) => wide(number)));
  expect(texts.isQuick(members)).toBe(false);
  expect(texts.isQuick(members.slice(0, 2))).toBe(true);
  let turns = 0;
  let isDone = false;
  const others = (async () => {
    for (; !isDone; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  })();
  await texts.join(...atHand(members));
  isDone = true;
  await others;
  // 30 x 703 quads, 2,000 a turn.
  expect(turns).toBeGreaterThanOrEqual(9);
  expect(texts.isQuick(members)).toBe(true);
  const failing = texts.join([1, 31], () => Promise.reject(new Error('disk')));
  await expect(failing).rejects.toThrow('disk');
});

test('what the log has erased is not kept, but for newest versions', async () => {
  const { log, description } = await emptyStream();
  let heldFrom = 1;
  const held = Object.defineProperties({ latest: log.latest } as Pick<typeof log, 'head' | 'latest' | 'heldFrom'>, {
    head: { get: () => log.head },
    heldFrom: { get: () => heldFrom },
  });
  const texts = new MemberTexts(held, { description, prefixes });
  const push = async (from: number, members: number, round: number) =>
    texts.joined((await log.append(Array.from({ length: members }, (_, at) => upsert(from + at, round)))).members);
  await push(0, 600, 1);
  await push(100, 500, 2);
  await push(1000, 1, 1);
  const asked: number[] = [];
  const join = (sequences: readonly number[]) =>
    texts.join(sequences, async (wanted) => {
      asked.push(...wanted);
      return await log.readMembers(wanted);
    });
  await join([1, 101, 601]);
  expect(asked).toEqual([]);
  heldFrom = 1001;
  await push(2000, 1, 1);
  // The first lives on, the second was replaced, and the third is held no more but lives.
  await join([1, 101, 601, 1102]);
  expect(asked).toEqual([101]);
});
