import { check, fc } from '@ldes-live/test-support/properties';
import { parseTemplate } from 'url-template';
import { expect, test } from 'vitest';
import { mapped, mistakesOf, property, reasonsBy } from './mapped.ts';

const entityBy = (subject: string, record: object) => mapped({ subject }, [record]).drafts[0]?.entity;

const names = ['x', 'y', 'z'] as const;
const expression = fc
  .tuple(
    fc.constantFrom('', '#', '.', '/', ';', '?', '&', '+'),
    fc.subarray([...names], { minLength: 1 }),
    fc.constantFrom('', '*', ':3'),
  )
  .map(([operator, variables, modifier]) => `{${operator}${variables.map((name) => name + modifier).join(',')}}`);
const part = fc.oneof(expression, fc.stringMatching(/^[a-zA-Zé%/:?#]{0,6}$/));

test('MAP-8 values that have no special place are expanded as RFC 6570 has it', () => {
  const value = fc
    .oneof(fc.stringMatching(/^[a-z é/%:?#@!$]{1,8}$/), fc.integer())
    .filter((one) => !/^[-.~]/.test(String(one)));
  check(
    fc.property(fc.array(part, { maxLength: 4 }), fc.record({ x: value, y: value, z: value }), (parts, values) => {
      const template = `https://e.example/${parts.join('')}`;
      // The reference takes % and one hexadecimal digit for percent-encoding.
      fc.pre(!/%(?![0-9A-Fa-f]{2})/.test([...parts, ...Object.values(values)].join(' ')));
      const expected = parseTemplate(template).expand(values);
      fc.pre(!/\/\.{1,2}(?:[/?#]|$)/.test(expected) && !/[.]/.test(parts.join('')));
      const { drafts, problems } = mapped(property({ iri: template }), [{ id: 1, ...values }]);
      if (problems.length > 0) return;
      expect(drafts[0]?.quads[0]?.object.value).toBe(expected);
    }),
  );
});

test('MAP-8 a template has the URLs, variables, paths, the value, and the subject', () => {
  const record = { id: 'a b', site: { code: 5 }, page: 'P' };
  expect(entityBy('{+base}x/{id}/{site.code}', record)).toBe('https://live.example.org/x/a%20b/5');
  const iri = '{+subject}#{value}-{kind}';
  const { drafts } = mapped(
    { ...property({ path: 'page', iri }), variables: { kind: { value: 'k', convert: 'upper' } } },
    [record],
  );
  expect(drafts[0]?.quads[0]?.object.value).toBe('https://live.example.org/things/entities/a%20b#P-K');
  // A value is absent when its template lacks another.
  expect(mapped(property({ path: 'page', iri: '{+base}{value}/{none}' }), [record]).drafts[0]?.quads).toEqual([]);
});

const noIris = 'x/{id} {id} {+base}{id {+base}}{id} {+base}{} mailto{id} {+base}x/../{id} {+base}{id}\ud800'.split(' ');
const ambiguous = ['{+base}{a}{b}', '{+base}{a}-{b}', '{+base}{a}x{b}', '{+a}/{+b}', '{+base}{a:2}'];
test.each([...noIris.map((subject) => ['MAP-8', subject]), ...ambiguous.map((subject) => ['MAP-9', subject])])(
  '%s %s makes no absolute IRI, or could give two keys one, and is refused',
  (_, subject) => expect(mistakesOf({ subject, properties: [] })).not.toEqual([]),
);

const templates = `{+base}{a}/{b} {+base}x{/a,b} urn:x:{a}:{b} {+base}q{?a,b} {+stream}/entities/{b}-x/{a}
  {+base}{+a}/{b} {+base}{a};{+b}`;
const text = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }),
  fc.constantFrom('.', '..', '-', '~', '~-', '~.', '%2E', '/', 'a/b', '%', 'a b', 'a%20b', 'x', '-x'),
  fc.stringMatching(/^[a-b/.~%-]{1,5}$/),
);

test.each(templates.split(/\s+/))(
  'MAP-9 by %s two different keys have two IRIs, which URL parsers leave as they are',
  (subject) => {
    check(
      fc.property(fc.record({ a: text, b: text }), fc.record({ a: text, b: text }), (one, other) => {
        fc.pre(one.a !== other.a || one.b !== other.b);
        const { drafts, findings } = mapped({ subject }, [one, other]);
        expect(findings['key-collision']).toBeUndefined();
        expect(new Set(drafts.map(({ entity }) => entity)).size).toBe(drafts.length);
        for (const { entity } of drafts) {
          expect(URL.canParse(entity)).toBe(true);
          if (!/\{\+[ab]\}/.test(subject)) expect(new URL(entity).href).toBe(entity);
        }
      }),
      { numRuns: 300 },
    );
  },
);

test('MAP-9 what stands in {+name} has to be IRI characters', () => {
  expect(entityBy('{+id}', { id: 'https://e.example/a%20b?c' })).toBe('https://e.example/a%20b?c');
  const records = [{ id: 'https://e.example/a b' }, { id: 'no-iri' }];
  expect(reasonsBy(mapped({ subject: '{+id}' }, records))).toHaveLength(2);
});

test.each(['../../other/s2', 'a/../b', 'a/%2E%2e', '.', '%zz', 'a%2', 'a[b]', 'a#b#c'])(
  'MAP-8 %s is not taken into an IRI',
  (id) => {
    const { drafts, problems } = mapped({ subject: '{+stream}/{+id}' }, [{ id }, { id: 'ok' }]);
    expect(drafts).toHaveLength(1);
    expect(problems).toMatchObject([{ code: 'ERR_MAPPING_RECORD', details: { record: 1, mapping: 'subject' } }]);
  },
);

const unsound = `http://[::1 http://h.example:99999/ http://u:p@h.example/ http://1.2.3.400/ http://xn--a/ http://h.0xg.1/
  http://h.0xab/ https://h.example/a/../b https://h.example/a[0] javascript:alert(1) data:text/html,x
  file:///etc/passwd urn:x:%zz urn:x:a[b]`;
test.each(unsound.split(/\s+/))('MAP-8 %s is not taken for an IRI', (id) => {
  expect(reasonsBy(mapped({ subject: '{+id}' }, [{ id }]))).toHaveLength(1);
});

const sound = `https://h.example/a/b.c/Things(1)?x=/../&y=%20#.. http://[::1]:8080/a http://127.0.0.1/a
  https://münchen.example/straße/..a/.b/c.. HTTPS://H.example https://a--b.3d.example-1/x
  urn:ngsi-ld:OffStreetParking:Downtown1 urn:x:é%C3%A9 tag:a@h.example,2026:b mailto:a@h.example`;
test.each(sound.split(/\s+/))('MAP-8 %s is an IRI', (id) => {
  expect(entityBy('{+id}', { id })).toBe(id);
});

test('MAP-9 a record that lacks a variable of the subject is left out', () => {
  const { drafts, problems } = mapped({ subject: '{+base}{a}/{b}' }, [{ a: 1 }, { a: 1, b: 2 }]);
  expect(drafts).toHaveLength(1);
  expect(problems[0]?.details).toMatchObject({ mapping: 'subject', path: 'b' });
});

test('MAP-9 with a key the others may be absent, and are written as a hyphen that no value is', () => {
  const mapping = { subject: '{+base}{a}/{b}', key: ['a'] };
  const { drafts, problems } = mapped(mapping, [{ a: 1 }, { a: 1, b: '-' }, { b: 1 }]);
  expect(drafts.map(({ entity }) => entity.slice(25))).toEqual(['1/-', '1/~-']);
  expect(problems).toHaveLength(1);
});

test('MAP-9 a key that the subject does not have is a mistake', () => {
  const mistakes = mistakesOf({ subject: '{+base}{a}', key: ['a', 'b'], properties: [] });
  expect(mistakes).toMatchObject([{ path: ['key', 1] }]);
  const many = mistakesOf({ subject: '{+base}{a}/{b}', key: ['a', '^[*]'], properties: [] });
  expect(many).toMatchObject([{ path: ['key', 1], message: expect.stringContaining('without [*]') }, {}]);
});
