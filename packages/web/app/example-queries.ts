/*
 * Three questions to begin with, made for what a stream has: they name its own properties and its own types.
 *
 *   entities with a speed -> 'the fastest', 'how many of each kind', 'which changed last'
 */

import { prefixes, rdf } from '@ldes-live/rdf-stream/vocabulary';
import type { Literal, Term } from '@rdfjs/types';
import { colourPaths } from './colours.ts';
import { numericPaths } from './entity.ts';
import { localName, numberOf, pathLabel } from './labels.ts';
import type { LiveStream } from './live-stream.ts';

export interface ExampleQuery {
  readonly name: string;
  readonly text: string;
}

const RDFS_LABEL = `${prefixes.rdfs}label`;

export function exampleQueries(stream: LiveStream): ExampleQuery[] {
  const entities = [...stream.entities.values()].slice(0, 300);
  const hasLabels = entities.some(({ facts }) => facts.has(RDFS_LABEL));
  const subject = hasLabels ? '?name' : '?entity';
  const naming = hasLabels ? '  ?version rdfs:label ?name .' : '  ?version dct:isVersionOf ?entity .';
  const [numeric] = numericPaths(stream)
    .filter((path) => entities.some(({ facts }) => isPlainNumber(facts.get(path)?.[0])))
    .sort((a, b) => preference(b) - preference(a));
  const grouping = colourPaths(entities).find(
    (path) => !path.includes(' ') && entities.some(({ facts }) => facts.get(path)?.[0]?.termType === 'NamedNode'),
  );
  const type = entities[0]?.facts.get(rdf.type)?.[0]?.value;
  const variable = numeric === undefined ? '' : localName(numeric).replace(/\W/g, '');
  const all: ExampleQuery = {
    name: 'The latest changes',
    text: `SELECT ${subject} ?time WHERE {\n${naming}\n  ?version prov:generatedAtTime ?time .\n} ORDER BY DESC(?time) LIMIT 50`,
  };
  const count: ExampleQuery = {
    name: grouping ? `How many of each ${pathLabel(grouping)}` : 'How many there are',
    text: grouping
      ? `SELECT ?value (COUNT(*) AS ?count) WHERE {\n  ?version ${short(grouping)} ?value .\n} GROUP BY ?value ORDER BY DESC(?count)`
      : `SELECT (COUNT(*) AS ?count) WHERE {\n  ?version a ${type ? short(type) : '?type'} .\n}`,
  };
  const greatest: ExampleQuery = numeric
    ? {
        name: `The greatest ${pathLabel(numeric)}`,
        text: `SELECT ${subject} ?${variable} WHERE {\n${naming}\n  ?version ${numeric.split(' ').map(short).join('/')} ?${variable} .\n} ORDER BY DESC(?${variable}) LIMIT 10`,
      }
    : {
        name: 'All statements',
        text: 'SELECT ?version ?property ?value WHERE {\n  ?version ?property ?value .\n} LIMIT 100',
      };
  return [greatest, count, all].map(({ name, text }) => ({ name, text: withPrefixes(text) }));
}

// Durations are in no order that engines agree on.
const isPlainNumber = (term: Term | undefined) =>
  numberOf(term) !== undefined && !/duration$/.test((term as Literal).datatype.value);

const preference = (path: string) =>
  /(value|result|speed|temperature|available|delay)/i.test(localName(path)) ? 1 : 0;

function short(iri: string): string {
  const [prefix, namespace] = Object.entries(prefixes).find(([, start]) => iri.startsWith(start)) ?? [];
  const name = namespace === undefined ? '' : iri.slice(namespace.length);
  return prefix !== undefined && /^[A-Za-z][\w-]*$/.test(name) ? `${prefix}:${name}` : `<${iri}>`;
}

/** Declares the known prefixes that a text uses and does not declare. */
export function withPrefixes(text: string): string {
  const used = Object.entries(prefixes).filter(([prefix]) => new RegExp(`(?<![\\w<:/])${prefix}:[A-Za-z]`).test(text));
  const missing = used.filter(([prefix]) => !new RegExp(`PREFIX\\s+${prefix}:`, 'i').test(text));
  return `${missing.map(([prefix, namespace]) => `PREFIX ${prefix}: <${namespace}>\n`).join('')}${text}`;
}
