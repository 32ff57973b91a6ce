/*
 * Templates of RFC 6570, which make the IRIs of entities, nodes and values. `{+stream}/entities/{id}{?part}` is compiled
 * to parts, fixed texts and readings of the record, and makes `https://live.example/bikes/entities/7?part=A` of
 * `{ "id": 7, "part": "A" }`.
 */
import { isStrictIri } from '@ldes-live/rdf-stream';
import { type Scalar, textOf } from '../convert/converter.ts';
import type { MappingPath } from '../errors.ts';
import { iriSegment, parsedUrl } from '../options.ts';
import { type Compiling, compilePath, type RecordSteps } from './compiling.ts';
import { ABSOLUTE, faultOfIri, hasIriCharacters, type MappingUrls, PLAIN_IRI } from './iris.ts';
import { type ParsedPath, RecordProblem, type Scope, type ValuePlace } from './paths.ts';
import type { MappedValue } from './schema.ts';
import { type CompiledValue, compileValue } from './values.ts';

/** Reads what a variable of a template stands for; `undefined` when it is absent. */
type ReadVariable = (scope: Scope, value: string) => string | undefined;

/** What a name in a template stands for. */
interface Meaning {
  readonly read: ReadVariable;
  /** The paths that it is read by. */
  readonly paths: readonly ParsedPath[];
}

/** What a template is for: entities (`keyed`: by a key that says itself what may lack), nodes, or values. */
type TemplateUse = 'entity' | 'keyed' | 'node' | 'value';

/** What a template is made of. */
interface TemplateOptions {
  readonly at: MappingPath;
  readonly use: TemplateUse;
  /** Whether two different sets of values may never give one IRI, as for entities. */
  readonly distinct: boolean;
  /** What a name stands for: a text that is always the same, or a reading of the record. */
  readonly variable: (name: string) => string | Meaning;
  readonly mistake: (message: string) => void;
}

/** An RFC 6570 template, compiled. */
export interface Template {
  /**
   * Writes the IRI.
   *
   * @param value - what `{value}` stands for
   * @throws RecordProblem - what it makes is no IRI
   */
  readonly expand: (scope: Scope, value?: string) => string | undefined;
  /** The paths that it is made by. */
  readonly paths: readonly ParsedPath[];
}

/** What operators put between values, where that is not a comma. @see https://www.rfc-editor.org/rfc/rfc6570#appendix-A */
const SEPARATORS: Readonly<Record<string, string>> = { '.': '.', '/': '/', ';': ';', '?': '&', '&': '&' };

/** A variable of a template, and how its values are written. */
interface TemplateVariable {
  readonly name: string;
  /** Whether what has a meaning in IRIs stays as it is. */
  readonly reserved: boolean;
  /** How many characters of a value are taken. */
  readonly prefix: number | undefined;
  /** What stands between the values of a list. */
  readonly separator: string;
}

interface Variable extends Meaning, Pick<TemplateVariable, 'name' | 'reserved'> {
  readonly encode: (text: string) => string;
}

type Part = string | Variable;

/** A beginning that no value can change the meaning of. */
const FIXED_BEGINNING = /^[a-z][a-z0-9+.-]*:(?:\/\/[^/?#]+[/?#]|[^/])/iu;
/** What percent-encoding makes of a value, so that it cannot tell where a value ends. */
const ONLY_ENCODED = /^[A-Za-z0-9._~%-]*$/;
/** What percent-encoding leaves as it is. */
const ONLY_UNRESERVED = /^[A-Za-z0-9._~-]*$/;

/**
 * Compiles an RFC 6570 template of an IRI. Values are single; `{name*}` is `{name}`.
 *
 * @see specs/mappings.md MAP-8
 * @see https://www.rfc-editor.org/rfc/rfc6570
 */
function compileTemplate(text: string, options: TemplateOptions): Template {
  const { at, use, distinct } = options;
  const parts = partsOf(text, options);
  const variables = parts.filter((part) => typeof part === 'object');
  if (distinct) checkDistinct(text, parts, options);
  checkIri(text, parts, options);
  const place: ValuePlace = { at, path: '' };
  const [first] = parts;
  const fixed = typeof first === 'string' && FIXED_BEGINNING.test(first);
  // An IRI that a record has of itself is told to be one at once.
  const whole = distinct && parts.length === 1 && typeof first === 'object' && first.reserved ? first : undefined;
  // What is not encoded may make anything of an IRI.
  const isRaw = variables.some(({ reserved }) => reserved);
  const expand: Template['expand'] = (scope, value = '') => {
    const own = whole?.read(scope, value);
    if (own !== undefined && PLAIN_IRI.test(own)) return own;
    let iri = '';
    for (const part of parts) {
      if (typeof part === 'string') {
        iri += part;
        continue;
      }
      const read = part.read(scope, value);
      if (read !== undefined) iri += part.encode(read);
      else if (use === 'keyed') iri += '-';
      else if (use !== 'entity') return undefined;
      else throw new RecordProblem({ at, path: part.name }, 'a required value of the IRI is missing');
    }
    if (!fixed && !ABSOLUTE.test(iri)) throw new RecordProblem(place, 'an absolute IRI was expected', iri);
    const fault = isRaw && distinct ? faultOfIri(iri) : undefined;
    if (fault !== undefined) throw new RecordProblem(place, fault, iri);
    if (isRaw && !isStrictIri(iri)) throw new RecordProblem(place, 'an IRI of RFC 3987 was expected', iri);
    return iri;
  };
  return { expand, paths: variables.flatMap(({ paths }) => paths) };
}

/**
 * Reads an RFC 6570 template: its texts, as they stand in an IRI, and its variables, in their order.
 *
 * @param mistake - called with what is wrong with it
 */
export function parseTemplate(text: string, mistake: (message: string) => void): (string | TemplateVariable)[] {
  const whole = text.toWellFormed();
  if (whole !== text) mistake(`"${whole}" is not a template: it has half of a character`);
  return whole.split(/(\{[^{}]*\})/u).flatMap((piece) => {
    if (!piece.startsWith('{') || !piece.endsWith('}')) {
      if (/[{}]/u.test(piece)) mistake(`"${text}" is not a template: a brace has no counterpart`);
      return [percentEncoded(piece, true)];
    }
    const sign = /^[+#./;?&]/u.exec(piece.slice(1))?.[0] ?? '';
    const reserved = sign === '+' || sign === '#';
    const between = SEPARATORS[sign] ?? ',';
    return piece
      .slice(1 + sign.length, -1)
      .split(',')
      .flatMap((spec, index) => {
        const [, name = '', list, prefix] = /^(.*?)(?:(\*)|:(\d+))?$/su.exec(spec) ?? [];
        if (name === '') mistake(`"${text}" is not a template: {${piece.slice(1, -1)}} lacks a name`);
        const label = /[;?&]/.test(sign) ? `${percentEncoded(name, false)}=` : '';
        const start = index > 0 ? between : sign.replace('+', '');
        const separator = list ? between + label : ',';
        return [start + label, { name, reserved, prefix: prefix === undefined ? prefix : Number(prefix), separator }];
      });
  });
}

function partsOf(text: string, { at, variable, mistake, distinct }: TemplateOptions): Part[] {
  const parts: Part[] = [];
  const put = (part: Part) => {
    const last = parts.at(-1);
    // What is fixed stands together, so that its beginning can be judged, and it is added at once.
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
    else if (part !== '') parts.push(part);
  };
  for (const part of parseTemplate(text, mistake)) {
    if (typeof part === 'string') {
      put(part);
      continue;
    }
    const { name, reserved, prefix } = part;
    if (prefix !== undefined && distinct) {
      mistake(`"${text}" uses only a part of ${name}: two entities could have one IRI`);
    }
    const meaning = name === '' ? '' : variable(name);
    const encode = encoding(reserved, distinct, { at, path: '' });
    if (typeof meaning === 'string') put(percentEncoded(cutTo(prefix, meaning), reserved));
    else
      put({
        ...meaning,
        name,
        reserved,
        encode: prefix === undefined ? encode : (value) => encode(cutTo(prefix, value)),
      });
  }
  return parts;
}

/** Refuses a template by which two sets of values can have one IRI. */
function checkDistinct(text: string, parts: readonly Part[], { mistake }: TemplateOptions): void {
  const reserved = parts.filter((part) => typeof part === 'object' && part.reserved);
  if (reserved.length > 1) mistake(`"${text}" has more than one value by {+name}: two entities could have one IRI`);
  const runsOn = parts.some((part, index) => {
    const next = parts[index + 1];
    const between = typeof next === 'object' ? '' : next;
    const after = typeof next === 'object' ? next : parts[index + 2];
    return typeof part === 'object' && after !== undefined && ONLY_ENCODED.test(between as string);
  });
  if (runsOn) {
    mistake(`"${text}" does not keep two values apart: put / or another of :?#[]@!$&'()*+,;= between them`);
  }
}

/** Refuses a template that makes no absolute IRI, or one that URL parsers change. */
function checkIri(text: string, parts: readonly Part[], { mistake }: TemplateOptions): void {
  const probe = parts
    .map((part, index) => {
      if (typeof part === 'string') return part;
      return index === 0 && part.reserved ? 'https://host.example/a' : 'a';
    })
    .join('');
  const url = ABSOLUTE.test(probe) ? parsedUrl(probe) : undefined;
  if (!url) {
    mistake(`"${text}" does not make an absolute IRI: begin it with {+base}, {+stream}, or a scheme such as https:`);
  } else if (url.pathname !== new URL(`${probe}#`).pathname || /\/\.{1,2}(?:\/|$)/u.test(probe)) {
    mistake(`"${text}" has a step . or .. in its path, which readers of the IRI would resolve`);
  }
}

function encoding(reserved: boolean, distinct: boolean, place: ValuePlace): (text: string) => string {
  // Percent-encoded, what differs could become the same: `a b` and `a%20b`.
  if (reserved && distinct) {
    return (text) => {
      if (hasIriCharacters(text)) return text;
      throw new RecordProblem(place, 'the value of {+name} must be an IRI or a part of one', text);
    };
  }
  return (text) => {
    const segment = reserved ? text : iriSegment(text);
    try {
      return percentEncoded(segment, reserved);
    } catch {
      throw new RecordProblem(place, 'a text of whole Unicode characters was expected', segment);
    }
  };
}

/** As many characters of a value as a prefix says, whole ones: half of one has no encoding. */
export function cutTo(prefix: number | undefined, value: string): string {
  return prefix === undefined ? value : [...value].slice(0, prefix).join('');
}

/**
 * Percent-encodes a value: all but unreserved characters, or all but these, reserved ones and what is percent-encoded
 * already.
 *
 * @throws URIError - half of a character
 */
export function percentEncoded(text: string, reserved: boolean): string {
  if (ONLY_UNRESERVED.test(text)) return text;
  if (!reserved) {
    return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  }
  return text
    .split(/(%[0-9A-Fa-f]{2})/)
    .map((part, index) => (index % 2 === 1 ? part : encodeURI(part).replaceAll('%5B', '[').replaceAll('%5D', ']')))
    .join('');
}

/** Compiles a template of a mapping; mistakes are noted. */
export type SubjectTemplate = (
  text: string,
  at: MappingPath,
  use: TemplateUse,
  scopes?: readonly RecordSteps[],
) => Template;

/** The names that templates have of themselves, so that no variable can have them. */
const ownVariables: ReadonlySet<string> = new Set(['base', 'stream', 'value', 'subject']);

/**
 * Prepares the templates of a mapping: `{+base}` and `{+stream}`, `{+subject}` in nodes and values, `{value}` in
 * values, the `variables` of the mapping, and paths.
 *
 * @see specs/mappings.md MAP-8
 */
export function subjectTemplates(
  variables: Readonly<Record<string, MappedValue>>,
  { publicUrl, streamUrl }: MappingUrls,
  compiling: Compiling,
): SubjectTemplate {
  const { mistakes } = compiling;
  const named = new Map(
    Object.entries(variables).map(([name, value]) => {
      const at = ['variables', name];
      if (ownVariables.has(name)) mistakes.add(at, `the variable {${name}} is built in: give another name`);
      return [name, ofRecord(compileValue(value, at, compiling))] as const;
    }),
  );
  return (text, at, use, scopes = compiling.scopes) => {
    const distinct = use === 'entity' || use === 'keyed';
    const whole = compiling.iris.expand(text);
    if (whole !== text) mistakes.add(at, `a template has no prefixes: write it out, as "${whole}"`);
    const variable: TemplateOptions['variable'] = (name) => {
      if (name === 'base') return publicUrl;
      if (name === 'stream') return streamUrl;
      if (name === 'subject' && !distinct) return { read: ({ run }) => run.subject, paths: [] };
      if (name === 'value' && use === 'value') return { read: (_, value) => value, paths: [] };
      const variable = named.get(name);
      if (variable) return variable;
      const path = compilePath(name, at, { ...compiling, scopes });
      if (path.many) mistakes.add(at, `{${name}} has many values, but a template takes one`);
      const place = { at, path: name };
      return { read: (scope) => singleText(path.one(scope), place), paths: [path.parsed] };
    };
    const mistake = (message: string) => mistakes.add(at, message);
    return compileTemplate(text, { at, use, distinct, mistake, variable });
  };
}

/** Reads a variable: it is of the record, wherever it is used. */
function ofRecord(value: CompiledValue): Meaning {
  const read: ReadVariable = ({ run }) => {
    let text: string | undefined;
    value.each(run.record, (found) => {
      if (text !== undefined) throw new RecordProblem(value.place, 'one value was expected, and there are more', found);
      text = textOf(found);
    });
    return text;
  };
  return { read, paths: value.paths };
}

function singleText(value: unknown, place: ValuePlace): string | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === 'object' ? undefined : textOf(value as Scalar);
  if (text === undefined) throw new RecordProblem(place, 'a text or a number was expected', value);
  return text;
}
