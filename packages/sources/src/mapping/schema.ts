/*
 * The form of a mapping, said once: the schema by which mappings are checked, from which the types follow.
 *
 * YAML or JSON -> `checkForm` (keys, kinds, which keys go together) -> `Mapping` | `ContextMapping`. What the texts
 * in it mean (paths, templates, IRIs, converters) is checked where they are compiled.
 *
 *     { "records": "data.stations[*]", "subject": "{+stream}/entities/{id}",
 *       "properties": [{ "predicate": "rdfs:label", "path": "name", "language": "nl" }] }
 */

import { nearestKey } from '@ldes-live/rdf-stream/errors';
import { z } from 'zod';
import { errors, type MappingMistake, type MappingPath } from '../errors.ts';
import { isAbsoluteIri, prefixesAt } from './iris.ts';

const text = z.string().min(1);
const oneOrMore = z.union([text, z.array(text).min(1)], { error: 'a text, or a list of texts, was expected' });
const name = z.string().regex(/^[\p{L}\p{N}_-]+$/u, { error: 'a name of letters, digits, _ and - was expected' });
const timeZone = text.refine(isTimeZone, { error: 'the name of a time zone such as Europe/Brussels was expected' });
const argued = z.record(z.string(), z.unknown());
const conversion = z.union([text, argued], {
  error: 'a converter was expected: its name, or a mapping of its name to its argument',
});

const reading = z.strictObject({
  /** @defaultValue `json` */
  format: z.enum(['json', 'ndjson', 'geojson', 'csv', 'xml']).optional(),
  /** Label of the character encoding, as the WHATWG Encoding Standard has it. @defaultValue `utf-8` */
  charset: text.optional(),
  /** What stands between the columns of CSV. @defaultValue `,` */
  delimiter: z.string().length(1, { error: 'one character was expected' }).optional(),
  /**
   * What the root element of XML has to be named, without prefix: then records right below it may be missing, which
   * else looks like an error of the source.
   */
  root: text.optional(),
});

const valueKeys = {
  /** Path from the record; `$root`, `$key`, `^` and `$name` of a lookup can begin it. With `[*]` there are many values. */
  path: text.optional(),
  /** Several paths, whose values go to the first converter as a list; absent when one of them is. */
  paths: z.array(text).min(1).optional(),
  /** Always the same. */
  value: z.union([text, z.number(), z.boolean()], { error: 'a text, a number, true or false was expected' }).optional(),
  /** Steps that make of it what is published, the first one first. */
  convert: z
    .union([text, z.array(conversion).min(1), argued], { error: 'a converter, or a list of them, was expected' })
    .optional(),
};

const value = z.strictObject(valueKeys).check(valueCheck('exactly'));

const nodeOutline = z.strictObject({
  /** Template of its IRI; blank when absent. */
  subject: text.optional(),
  type: oneOrMore.optional(),
});

const property = z
  .strictObject({
    ...valueKeys,
    /** IRI or compact IRI. */
    predicate: text,
    /** IRI or compact IRI. @defaultValue that of the last converter; else by the value: integer, decimal, boolean, string */
    datatype: text.optional(),
    /** BCP 47 tag of the text; `$key`: the key that `[*]` took it from, as in `{ "fi": "Asema", "en": "Station" }`. */
    language: text.optional(),
    /** Path to the tag of each text, from what the text stands in; a text without a tag is a plain one. */
    languagePath: text.optional(),
    /** The value is an absolute IRI (`true`), or goes into this template as `{value}`. */
    iri: z.union([z.literal(true), text], { error: 'true, or a template, was expected' }).optional(),
    /** A node of its own, said of the value: without a path, of the same record. */
    node: z.lazy((): z.ZodType<NodeForm> => node).optional(),
    /** A record without it is left out; in a node, the node. @defaultValue false */
    required: z.boolean().optional(),
  })
  .check(valueCheck('property'));

interface NodeForm extends z.infer<typeof nodeOutline> {
  properties: z.infer<typeof property>[];
}

const node = nodeOutline.extend({ properties: z.array(property) });

const lookup = z.strictObject({
  reads: reading.optional(),
  /** Where its records are. */
  records: text.optional(),
  /** Path in its records, whose value tells them apart. */
  key: text,
  /** Path in the record that is mapped, whose value is the key. */
  by: text,
  /** Steps that make the key of that value, such as `upper`. */
  convert: valueKeys.convert,
});

const common = {
  /** How bytes become the document. */
  reads: reading.optional(),
  /** Prefixes of compact IRIs, besides the usual ones. */
  prefixes: z.record(z.string(), text.refine(isNamespace, { error: 'an absolute IRI was expected' })).optional(),
  /** IANA name of the time zone of times that state none, such as `Europe/Brussels`; without it they are mistakes. */
  timeZone: timeZone.optional(),
  /** Where the records are, such as `data.stations[*]`. @defaultValue the items of the document, or the document itself */
  records: text.optional(),
  /** Values for templates, by name; every path of plain names can stand in a template as it is. */
  variables: z.record(name, value).optional(),
  /**
   * `state`: each record is the state of an entity, and one that is absent has ended. `observation`: each record is
   * said once and for ever, `subject` is its own IRI, and absence says nothing.
   *
   * @defaultValue `state`
   */
  kind: z.enum(['state', 'observation']).optional(),
  /** Template of the entity whose newest version an observation is, such as its sensor; required for observations. */
  series: text.optional(),
  /** Classes of the entity, as IRIs or compact ones; besides those that a context makes. */
  type: oneOrMore.optional(),
  /** The source's own time of the record. */
  versionTime: value.optional(),
  /** Paths that make no change when they differ; those of `versionTime` have to be named too if they make none. */
  ignoreForChange: z.array(text).optional(),
  /** Paths of the record that are not mapped on purpose: nobody is told of them. */
  leftOut: z.array(text).optional(),
  /** When the document was made, from its root: one that is older than the last does not count. */
  documentTime: value.optional(),
  /** For how many seconds after `documentTime` the document holds, from its root. */
  documentTtl: value.optional(),
};

const mapping = z
  .strictObject({
    ...common,
    /** Other documents whose records are read beside these, by name: path `$name` leads to the record that fits. */
    lookups: z
      .record(name.refine(isFree, { error: 'root, key, this and topic have a meaning of their own' }), lookup)
      .optional(),
    /** RFC 6570 template of the entity's IRI: `{+base}`, `{+stream}`, `variables`, and paths into the record. */
    subject: text,
    properties: z.array(property),
    /** Paths that tell records apart: one that lacks any of them is left out. @defaultValue the variables of `subject` */
    key: z.array(text).min(1).optional(),
  })
  .check(seriesCheck);

const contextObject = z.record(z.string(), z.unknown());

const contextMapping = z
  .strictObject({
    ...common,
    /** The value of `@context`: a mapping, or a list of them. What it refers to by URL is not fetched. */
    context: z.union([contextObject, z.array(contextObject).min(1)], {
      error: 'an inline JSON-LD context was expected: a remote one is not fetched',
    }),
    /** RFC 6570 template of the entity's IRI. @defaultValue the IRI that the context makes `@id` of the record */
    subject: text.optional(),
  })
  .check(seriesCheck);

/** The JSON Schema of mappings, for editors. It accepts more: what the texts in a mapping mean is told when it is compiled. */
export function mappingJsonSchema(): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://w3id.org/ldes-live/mapping.schema.json',
    title: 'Mapping of ldes-live',
    ...z.toJSONSchema(z.union([mapping, contextMapping]), { io: 'input' }),
  };
}

/** What the schema takes, as nobody changes it. */
type Given<Form> = unknown extends Form
  ? Form
  : Form extends readonly (infer Item)[]
    ? readonly Given<Item>[]
    : Form extends object
      ? { readonly [Key in keyof Form]: Given<Exclude<Form[Key], undefined>> }
      : Form;

/**
 * How the records of a document become RDF: plain data, as YAML and JSON have it.
 *
 * @see specs/mappings.md MAP-1
 */
export interface Mapping extends Given<z.infer<typeof mapping>> {}

/**
 * The simplest mapping: a JSON-LD context, by which each record becomes RDF as the JSON-LD document that it then is.
 * CSV and XML are read as their lists and mappings of texts.
 *
 * @see specs/mappings.md MAP-27
 */
export interface ContextMapping extends Given<z.infer<typeof contextMapping>> {}

/** How bytes become a document. */
export interface DocumentReading extends Given<z.infer<typeof reading>> {}

/** What a document is written in. */
export type DocumentFormat = NonNullable<DocumentReading['format']>;

/** How the records of another document fit to those of the first. */
export interface MappingLookup extends Given<z.infer<typeof lookup>> {}

/** Where a value comes from: exactly one of `path`, `paths` and `value`; a node, and a template, may do without. */
export interface MappedValue extends Given<z.infer<typeof value>> {}

/** A converter by its name, or a mapping of its name to what it takes. */
export type Conversion = Given<z.infer<typeof conversion>>;

/** What is said of an entity. At most one of `datatype`, `language`, `languagePath`, `iri` and `node`. */
export interface MappedProperty extends Given<z.infer<typeof property>> {}

/**
 * A node that an entity refers to: blank, or with an IRI. It is not written when nothing can be said of it but what is
 * the same for every record.
 */
export interface MappedNode extends Given<z.infer<typeof node>> {}

/** Tells the line that a part of a mapping stands in, 1 for the first. */
export type LineOf = (path: readonly PropertyKey[]) => number | undefined;

/** Gathers what is wrong with a mapping, so that all of it is told at once. */
export class ProblemList {
  readonly #mistakes: MappingMistake[] = [];
  readonly #lineOf: LineOf | undefined;

  constructor(lineOf?: LineOf) {
    this.#lineOf = lineOf;
  }

  add(path: MappingPath, message: string): void {
    const line = this.#lineOf?.(path);
    this.#mistakes.push({ path, message, ...(line === undefined ? {} : { line }) });
  }

  /**
   * @param isAll - whether the mapping was looked at whole
   * @throws {@link StreamError} `ERR_MAPPING_INVALID` - there are some
   */
  throwIfAny({ isAll = true }: { readonly isAll?: boolean } = {}): void {
    if (this.#mistakes.length === 0) return;
    throw errors.ERR_MAPPING_INVALID({ problems: this.#mistakes, ...(!isAll && { more: true }) });
  }
}

/**
 * Notes what in a value is no mapping: unknown keys, missing ones, and values of another kind.
 *
 * @throws {@link StreamError} `ERR_MAPPING_INVALID` - it cannot be read any further: more is wrong than keys too many
 */
export function checkForm(given: unknown, mistakes: ProblemList): asserts given is Mapping | ContextMapping {
  const has = (key: string) => typeof given === 'object' && given !== null && Object.hasOwn(given, key);
  const isContext = has('context');
  if (has('@context') && !isContext) {
    mistakes.add(['@context'], 'a mapping that is a JSON-LD context has it as "context", without the "@"');
    mistakes.throwIfAny({ isAll: false });
  }
  const issues = (isContext ? contextMapping : mapping).safeParse(given).error?.issues ?? [];
  for (const issue of issues) {
    const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) mistakes.add([...path, key], unknownKey(key, path, isContext));
    } else {
      const isMissing = issue.code === 'invalid_type' && path.length > 0 && valueAt(given, path) === undefined;
      mistakes.add(path, `${isMissing ? 'it is missing: ' : ''}${messageOf(issue)}`);
    }
  }
  if (issues.some(({ code }) => code !== 'unrecognized_keys')) mistakes.throwIfAny({ isAll: false });
}

function unknownKey(key: string, path: readonly PropertyKey[], isContext: boolean): string {
  if (isContext && path.length === 0 && key in mapping.shape) {
    return 'it cannot be combined with "context": use one or the other';
  }
  const meant = nearestKey(key, Object.keys(shapeAt(path, isContext)));
  return `unknown key${meant === undefined ? '' : `: did you mean "${meant}"?`}`;
}

/** The keys that may stand at a place of a mapping. */
function shapeAt(path: readonly PropertyKey[], isContext: boolean): object {
  const last = path.at(-1);
  if (last === undefined) return (isContext ? contextMapping : mapping).shape;
  if (last === 'reads') return reading.shape;
  if (last === 'node') return node.shape;
  if (typeof last === 'number') return property.shape;
  return path[0] === 'lookups' ? lookup.shape : valueKeys;
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((found, part) => (found as Readonly<Record<PropertyKey, unknown>> | undefined)?.[part], given);
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `${kinds[issue.expected] ?? issue.expected} was expected`;
  if (issue.code === 'invalid_value') return `one of ${issue.values.map(String).join(', ')} was expected`;
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? 'another key was expected';
  if (issue.code === 'too_small')
    return issue.origin === 'string' ? 'a text that is not empty was expected' : 'at least one was expected';
  return issue.message;
}

type ValueForm = Readonly<Partial<Record<'path' | 'paths' | 'value' | 'convert' | (typeof FORMS)[number], unknown>>>;
const FORMS = ['datatype', 'language', 'iri', 'node'] as const;

/** Checks that keys fit together: a value has to come from somewhere, and a node or a template may make up one. */
function valueCheck(use: 'exactly' | 'property'): z.core.CheckFn<ValueForm> {
  return ({ value, issues }) => {
    const mistake = (message: string) => issues.push({ code: 'custom', path: [], message, input: value });
    const given = (['path', 'paths', 'value'] as const).filter((key) => value[key] !== undefined);
    const forms = FORMS.filter((key) => value[key] !== undefined);
    const makesUp = use === 'property' && (value.node !== undefined || typeof value.iri === 'string');
    if (given.length > 1) mistake(`only one of path, paths and value is allowed, and there are ${given.join(' and ')}`);
    if (given.length === 0 && !makesUp) mistake('one of path, paths and value was expected');
    if (given.length === 0 && value.convert !== undefined) mistake('"convert" has no value to convert');
    if (given.length === 0 && typeof value.iri === 'string' && /\{[+#./;?&]?value\}/.test(value.iri)) {
      mistake('the template has {value}, but it has no path');
    }
    if (forms.length > 1) {
      mistake(`only one of datatype, language, iri and node is allowed, and there are ${forms.join(' and ')}`);
    }
  };
}

function seriesCheck({
  value,
  issues,
}: z.core.ParsePayload<{ kind?: string | undefined; series?: string | undefined }>) {
  const { kind = 'state', series } = value;
  const mistake = (message: string) => issues.push({ code: 'custom', path: ['series'], message, input: value });
  if (kind === 'observation' && series === undefined) {
    mistake('a template was expected: the IRI of the observed thing, such as a sensor');
  }
  if (kind === 'state' && series !== undefined) mistake('it is for kind: observation only');
}

function isNamespace(namespace: string): boolean {
  const somewhere = { publicUrl: 'http://a.example/', streamUrl: 'http://a.example/a' };
  return Object.values(prefixesAt({ namespace }, somewhere)).every(isAbsoluteIri);
}

function isFree(lookupName: string): boolean {
  return !['root', 'key', 'this', 'topic'].includes(lookupName);
}

function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
