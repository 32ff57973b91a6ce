import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { prefixes, rdf, sh } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { Writer } from 'n3';
import { describe, expect, test } from 'vitest';
import { conceptName, type FieldTable, type Line, nodes, rangeOf } from '../../src/gtfs/fields.ts';
import { enums, type FeedEntity, messages } from '../../src/gtfs/generated/gtfs-realtime.ts';
import type { WireField } from '../../src/gtfs/messages.ts';
import { conceptEnums, rtContext, rtShape, rtVocabulary } from '../../src/gtfs/vocabulary.ts';
import { feedOf, publicUrl, sampleFeeds, snapshot, streamUrl } from './feeds.ts';

const OWL = 'http://www.w3.org/2002/07/owl#';

const namespace: string = prefixes.rt;
const vocabulary = rtVocabulary(publicUrl);
/** The own terms of a type, by their local names. */
const named = (type: string) =>
  own(
    vocabulary.filter(({ predicate, object }) => predicate.value === rdf.type && object.value === type),
    'subject',
  );
const own = (quads: readonly Quad[], place: 'subject' | 'object') =>
  new Set(
    quads.flatMap(({ [place]: { value } }) => (value.startsWith(namespace) ? [value.slice(namespace.length)] : [])),
  );

describe('rt vocabulary', () => {
  const terms = new Set(vocabulary.map(({ subject }) => subject.value).filter((iri) => iri.startsWith(namespace)));
  const folder = fileURLToPath(new URL('../../../../specs/vocabulary/', import.meta.url));

  function turtle(quads: readonly Quad[]): string {
    const { dct, rdf, rdfs, skos, sosa, xsd } = prefixes;
    const writer = new Writer({ prefixes: { dct, owl: OWL, rdf, rdfs, rt: namespace, skos, sosa, xsd } });
    writer.addQuads([...quads]);
    let text = '';
    writer.end((_error: unknown, result: string) => {
      text = result;
    });
    return text;
  }

  const json = (context: object) => `${JSON.stringify({ '@context': context }, null, 2)}\n`;
  const concepts = conceptEnums.flatMap((of) => Object.keys(enums[of]).map((value) => conceptName(of, value)));

  // No generated text is a link.
  const illustrated: FeedEntity = {
    id: 'a',
    alert: { image: { localized_image: [{ url: 'https://a.example/i.png', media_type: 'image/png' }] } },
  };

  /** The own terms that generated feeds are written with, by the place that they stand in. */
  async function emittedTerms() {
    const emitted = { predicates: new Set<string>(), classes: new Set<string>(), objects: new Set<string>() };
    for (const feed of [feedOf([illustrated]), ...sampleFeeds(400)]) {
      for (const { quads } of (await snapshot(feed, { publishLicensePlates: true })).drafts) {
        for (const { predicate, object } of quads) {
          const place = predicate.value === rdf.type ? emitted.classes : emitted.objects;
          if (predicate.value.startsWith(namespace)) emitted.predicates.add(predicate.value.slice(namespace.length));
          if (object.value.startsWith(namespace)) place.add(object.value.slice(namespace.length));
        }
      }
    }
    return emitted;
  }

  test('GTFS-22 the vocabulary has exactly the own terms that feeds are written with', async () => {
    const emitted = await emittedTerms();
    expect(emitted.predicates).toEqual(named(`${prefixes.rdf}Property`));
    expect(emitted.classes).toEqual(named(`${prefixes.rdfs}Class`));
    expect(emitted.objects).toEqual(new Set(concepts));
    expect(named(`${prefixes.skos}Concept`)).toEqual(new Set(concepts));
  });

  test('GTFS-22 every term has a type, a label, a reference, a definition, and the IRI that was written before', () => {
    const objects = (term: string, name: RegExp) =>
      vocabulary.flatMap(({ subject, predicate, object }) =>
        subject.value === term && name.test(predicate.value) ? [object.value] : [],
      );
    for (const term of terms) {
      for (const name of [/#type$/, /(label|prefLabel)$/, /seeAlso$/]) expect(objects(term, name)).toHaveLength(1);
      expect(objects(term, /isDefinedBy$/)).toEqual(['https://w3id.org/ldes-live/gtfs-rt']);
      const former = objects(term, /(equivalentProperty|equivalentClass|sameAs)$/);
      expect(former).toEqual([term.replace(namespace, `${publicUrl}ns/rt#`)]);
    }
    const gone = objects(`${publicUrl}ns/rt#tripShortName`, /equivalentProperty$/);
    expect(gone).toEqual([`${prefixes.gtfs}shortName`]);
  });

  test('no two values of enumerations have one concept', () => {
    expect(new Set(concepts).size).toBe(concepts.length);
  });

  test.each([
    ['TripScheduleRelationship', 'SCHEDULED', 'Scheduled'],
    ['StopTimeScheduleRelationship', 'SCHEDULED', 'StopTimeScheduled'],
    ['StopTimeScheduleRelationship', 'SKIPPED', 'Skipped'],
    ['StopTimeScheduleRelationship', 'NO_DATA', 'NoData'],
    ['WheelchairAccessible', 'UNKNOWN', 'WheelchairAccessibleUnknown'],
    ['WheelchairBoarding', 'UNKNOWN', 'WheelchairBoardingUnknown'],
    ['Cause', 'UNKNOWN_CAUSE', 'UnknownCause'],
  ] as const)('of %s the value %s is rt:%s', (values, value, name) => {
    expect(conceptName(values, value)).toBe(name);
  });

  test('GTFS-22 the context has every term, with the type of its values', () => {
    const context = rtContext();
    const names = [...terms].map((term) => term.slice(namespace.length)).filter((name) => !name.endsWith('Scheme'));
    expect(new Set(Object.keys(context))).toEqual(new Set(['rt', ...names]));
    expect(context.arrivalDelay).toEqual({ '@id': 'rt:arrivalDelay', '@type': `${prefixes.xsd}duration` });
    expect(context.cause).toEqual({ '@id': 'rt:cause', '@type': '@vocab' });
    expect(context.currentStop).toEqual({ '@id': 'rt:currentStop', '@type': '@id' });
    expect(context.Scheduled).toBe('rt:Scheduled');
    expect(context.rt).toBe(namespace);
  });

  // LDES_LIVE_WRITE_SPECS=1 writes them anew after a change of the terms.
  test.each([
    ['rt.ttl', turtle(vocabulary)],
    ['rt.context.jsonld', json(rtContext())],
  ])('GTFS-22 specs/vocabulary/%s is what the code generates', (file, generated) => {
    if (process.env.LDES_LIVE_WRITE_SPECS) writeFileSync(folder + file, generated);
    expect(readFileSync(folder + file, 'utf8')).toBe(generated);
  });
});

describe('the table of fields', () => {
  const tables = Object.values(nodes).flatMap((table) => [table, ...inlineTables(table)]);

  function inlineTables({ lines }: FieldTable): FieldTable[] {
    const inner = Object.values(lines).flatMap((line) => (line.kind === 'inline' ? [line] : []));
    return inner.flatMap((line) => [line, ...inlineTables(line)]);
  }

  test('GTFS-16 every field of every message has a line wherever the message is written', () => {
    for (const { message, lines } of tables)
      expect(Object.keys(lines).sort()).toEqual(Object.keys(messages[message]).sort());
    const written = new Set<string>(tables.map(({ message }) => message));
    // The feed itself is not published, and texts are values.
    const others = ['FeedMessage', 'FeedHeader', 'FeedEntity', 'TranslatedString', 'Translation'];
    expect(new Set(Object.keys(messages))).toEqual(new Set([...written, ...others]));
  });

  const compact = (iri: string) => {
    const [prefix, namespace] = Object.entries(prefixes).find(([, start]) => iri.startsWith(start)) ?? ['', ''];
    return `\`${prefix}:${iri.slice(namespace.length)}\``;
  };

  function kindOf(line: Exclude<Line, { kind: 'inline' }>, field: WireField): string {
    if (line.kind === 'reference') return `reference: ${line.to}`;
    if (line.kind === 'node') return `[ a ${compact(nodes[line.node]?.type ?? '')} ]`;
    if (line.kind === 'plate') return 'string (GTFS-23)';
    const range = rangeOf(line, field);
    if (range === 'text') return 'text in languages';
    return range === 'concept' ? `concept: ${field.of}` : line.kind === 'link' ? 'link' : range;
  }

  const rowsOf = ({ message, lines, derived }: FieldTable, path = ''): string[][] => [
    ...Object.entries(lines).flatMap(([name, line]) => {
      if (line.kind === 'inline') return rowsOf(line, `${path}${name}.`);
      const field = (messages[message] as Readonly<Record<string, WireField>>)[name] as WireField;
      return [[`\`${path}${name}\``, compact(line.property), kindOf(line, field)]];
    }),
    ...derived.map(({ property }) => [path ? `\`${path.slice(0, -1)}\`` : 'several', compact(property), 'see above']),
  ];

  /** A table of Markdown with columns of one width, as the formatter has it. */
  function markdown(rows: readonly (readonly string[])[]): string {
    const widths = ['', '', ''].map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
    const line = (cells: readonly string[], fill = ' ') =>
      `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(' | ')} |`;
    const [head = [], ...body] = rows;
    return [line(head), line(['', '', ''], '-'), ...body.map((row) => line(row))].join('\n');
  }

  // LDES_LIVE_WRITE_SPECS=1 writes it anew after a change of the table.
  test('GTFS-16 specs/gtfs-realtime.md has the table of the fields', () => {
    const sections = Object.values(nodes).map((table) =>
      markdown([[`\`${table.message}\``, 'is written as', `a ${compact(table.type)}`], ...rowsOf(table)]),
    );
    const spec = fileURLToPath(new URL('../../../../specs/gtfs-realtime.md', import.meta.url));
    const text = readFileSync(spec, 'utf8');
    const generated = `<!-- fields -->\n\n${sections.join('\n\n')}\n\n<!-- end of fields -->`;
    const [found = ''] = /<!-- fields -->.*<!-- end of fields -->/s.exec(text) ?? [];
    if (process.env.LDES_LIVE_WRITE_SPECS) writeFileSync(spec, text.replace(found, generated));
    else expect(found).toBe(generated);
  });
});

describe('rt shape', () => {
  const { iri, quads } = rtShape(`${streamUrl}/shape`);
  const saying = (predicate: string) => quads.filter((quad) => quad.predicate.value === predicate);
  const objectsOf = (predicate: string) => new Set(saying(predicate).map(({ object }) => object.value));

  test('DOC-54 the shape has every own property, class and concept of the vocabulary', () => {
    expect(own(saying(sh.path), 'object')).toEqual(named(`${prefixes.rdf}Property`));
    expect(own(saying(sh.hasValue), 'object')).toEqual(named(`${prefixes.rdfs}Class`));
    expect([...own(saying(rdf.first), 'object')]).toEqual(
      expect.arrayContaining([...named(`${prefixes.skos}Concept`)]),
    );
  });

  test('DOC-54 every shape that another refers to is described, as a part of the document', () => {
    const described = new Set(
      quads.filter(({ object }) => object.value === sh.NodeShape).map(({ subject }) => subject.value),
    );
    expect(described).toContain(iri);
    for (const shape of objectsOf(sh.node)) expect(described).toContain(shape);
    for (const shape of described) expect(shape.startsWith(`${streamUrl}/shape#`)).toBe(true);
  });
});
