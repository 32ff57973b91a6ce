/**
 * How the records of a document become RDF: plain data, as YAML and JSON have it.
 *
 * @see specs/mappings.md MAP-1
 */
export interface Mapping {
  /** How bytes become the document. */
  readonly reads?: DocumentReading;
  /** Prefixes of compact IRIs, besides the usual ones. */
  readonly prefixes?: Readonly<Record<string, string>>;
  /** IANA name of the time zone of times that state none, such as `Europe/Brussels`; without it they are mistakes. */
  readonly timeZone?: string;
  /** Other documents whose records are read beside these, by name: path `$name` leads to the record that fits. */
  readonly lookups?: Readonly<Record<string, MappingLookup>>;
  /** Where the records are, such as `data.stations[*]`. @defaultValue the items of the document, or the document itself */
  readonly records?: string;
  /** Values for templates, by name; every path of plain names can stand in a template as it is. */
  readonly variables?: Readonly<Record<string, MappedValue>>;
  /** RFC 6570 template of the entity's IRI: `{+base}`, `{+stream}`, `variables`, and paths into the record. */
  readonly subject: string;
  /**
   * `state`: each record is the state of an entity, and one that is absent has ended. `observation`: each record is
   * said once and for ever, `subject` is its own IRI, and absence says nothing.
   *
   * @defaultValue `state`
   */
  readonly kind?: 'state' | 'observation';
  /** Template of the entity whose newest version an observation is, such as its sensor; required for observations. */
  readonly series?: string;
  /** Classes of the entity, as IRIs or compact ones. */
  readonly type?: string | readonly string[];
  /** The source's own time of the record. */
  readonly versionTime?: MappedValue;
  readonly properties: readonly MappedProperty[];
  /** Paths that tell records apart: one that lacks any of them is left out. @defaultValue the variables of `subject` */
  readonly key?: readonly string[];
  /** Paths that make no change when they differ; those of `versionTime` have to be named too if they make none. */
  readonly ignoreForChange?: readonly string[];
  /** Paths of the record that are not mapped on purpose: nobody is told of them. */
  readonly leftOut?: readonly string[];
  /** When the document was made, from its root: one that is older than the last does not count. */
  readonly documentTime?: MappedValue;
  /** For how many seconds after `documentTime` the document holds, from its root. */
  readonly documentTtl?: MappedValue;
}

/**
 * The simplest mapping: a JSON-LD context, by which each record becomes RDF as the JSON-LD document that it then is.
 *
 * @see specs/mappings.md MAP-27
 */
export interface ContextMapping {
  /** How bytes become the document; CSV and XML read as their lists and mappings of texts. */
  readonly reads?: DocumentReading;
  /** The value of `@context`: a mapping, or a list of them. What it refers to by URL is not fetched. */
  readonly context: Readonly<Record<string, unknown>> | readonly Readonly<Record<string, unknown>>[];
  /** As in {@link Mapping}. */
  readonly prefixes?: Readonly<Record<string, string>>;
  /** As in {@link Mapping}. */
  readonly timeZone?: string;
  /** As in {@link Mapping}. */
  readonly records?: string;
  /** As in {@link Mapping}. */
  readonly variables?: Readonly<Record<string, MappedValue>>;
  /** As in {@link Mapping}. @defaultValue the IRI that the context makes `@id` of the record */
  readonly subject?: string;
  /** As in {@link Mapping}. */
  readonly kind?: 'state' | 'observation';
  /** As in {@link Mapping}. */
  readonly series?: string;
  /** As in {@link Mapping}; besides those that the context makes. */
  readonly type?: string | readonly string[];
  /** As in {@link Mapping}. */
  readonly versionTime?: MappedValue;
  /** Paths that make no change when they differ. Lookups are for {@link Mapping}. */
  readonly ignoreForChange?: readonly string[];
  /** As in {@link Mapping}. */
  readonly leftOut?: readonly string[];
  /** As in {@link Mapping}. */
  readonly documentTime?: MappedValue;
  /** As in {@link Mapping}. */
  readonly documentTtl?: MappedValue;
}

/** How bytes become a document. */
export interface DocumentReading {
  /** @defaultValue `json` */
  readonly format?: DocumentFormat;
  /** Label of the character encoding, as the WHATWG Encoding Standard has it. @defaultValue `utf-8` */
  readonly charset?: string;
  /** What stands between the columns of CSV. @defaultValue `,` */
  readonly delimiter?: string;
  /**
   * What the root element of XML has to be named, without prefix: then records right below it may be missing, which
   * else looks like an error of the source.
   */
  readonly root?: string;
}

/** What a document is written in. */
export type DocumentFormat = 'json' | 'ndjson' | 'geojson' | 'csv' | 'xml';

/** How the records of another document fit to those of the first. */
export interface MappingLookup {
  readonly reads?: DocumentReading;
  /** Where its records are. */
  readonly records?: string;
  /** Path in its records, whose value tells them apart. */
  readonly key: string;
  /** Path in the record that is mapped, whose value is the key. */
  readonly by: string;
  /** Steps that make the key of that value, such as `upper`. */
  readonly convert?: Conversion | readonly Conversion[];
}

/** Where a value comes from: exactly one of `path`, `paths` and `value`; a node, and a template, may do without. */
export interface MappedValue {
  /** Path from the record; `$root`, `$key`, `^` and `$name` of a lookup can begin it. With `[*]` there are many values. */
  readonly path?: string;
  /** Several paths, whose values go to the first converter as a list; absent when one of them is. */
  readonly paths?: readonly string[];
  /** Always the same. */
  readonly value?: string | number | boolean;
  /** Steps that make of it what is published, the first one first. */
  readonly convert?: Conversion | readonly Conversion[];
}

/** A converter by its name, or a mapping of its name to what it takes. */
export type Conversion = string | Readonly<Record<string, unknown>>;

/** What is said of an entity. At most one of `datatype`, `language`, `languagePath`, `iri` and `node`. */
export interface MappedProperty extends MappedValue {
  /** IRI or compact IRI. */
  readonly predicate: string;
  /** IRI or compact IRI. @defaultValue that of the last converter; else by the value: integer, decimal, boolean, string */
  readonly datatype?: string;
  /** BCP 47 tag of the text. */
  readonly language?: string;
  /** Path to the tag of each text, from what the text stands in; a text without a tag is a plain one. */
  readonly languagePath?: string;
  /** The value is an absolute IRI (`true`), or goes into this template as `{value}`. */
  readonly iri?: true | string;
  /** A node of its own, said of the value: without a path, of the same record. */
  readonly node?: MappedNode;
  /** A record without it is left out; in a node, the node. @defaultValue false */
  readonly required?: boolean;
}

/**
 * A node that an entity refers to: blank, or with an IRI. It is not written when nothing can be said of it but what is
 * the same for every record.
 */
export interface MappedNode {
  /** Template of its IRI; blank when absent. */
  readonly subject?: string;
  readonly type?: string | readonly string[];
  readonly properties: readonly MappedProperty[];
}
