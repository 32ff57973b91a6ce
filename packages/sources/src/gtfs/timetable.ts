/* A static GTFS timetable: the bytes of its zip, read to candidates for its routes, stops, agencies, trips and shapes.
 *
 *   routes.txt --TimetableFiles--> { route_id: '7', route_long_name: 'Ring', route_color: 'E60000' }
 *     -> content '{"route_long_name@en":"Ring","route_color":"E60000"}'
 *     -> { entity: '.../timetable/entities/routes/7', fingerprint: 'x4..', quads: () => [...] }
 *
 * `stop_times.txt`, which is most of a zip, is never read. The content of an entity is kept as a text: its fingerprint is
 * made of it, and its quads, where it has changed. */

import { hash } from 'node:crypto';
import type { StreamError } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { errors } from '../errors.ts';
import { Slices } from '../slices.ts';
import type { Candidate, Snapshot } from '../source.ts';
import { MAPPING_VERSION } from './feed.ts';
import type { EntityIris } from './keys.ts';
import {
  REFERENCES,
  shapeQuads,
  TIMETABLE_PARTS,
  type TimetablePart,
  type TimetableTable,
  timetableTable,
} from './timetable-fields.ts';
import { type FileLimits, type Row, TimetableFiles } from './timetable-files.ts';
import { decimalText, languageTag } from './to-rdf.ts';

/** How much of a timetable is read. */
export interface TimetableLimits extends FileLimits {
  /** Points of one shape: 2 or more. A shape with more is left out. @defaultValue 20000 */
  readonly limitShapePoints: number;
}

/** How a timetable is read. */
export interface TimetableReading {
  readonly include: ReadonlySet<TimetablePart>;
  readonly iris: EntityIris;
  readonly limits: TimetableLimits;
}

/** How many rows that are left out are told one by one. */
const PROBLEMS_TOLD = 20;
/** What stands for the id that an only agency may lack. */
const NAMELESS_AGENCY = 'default';
const SHAPES = 'shapes.txt';
const POINT_COLUMNS = ['shape_id', 'shape_pt_lat', 'shape_pt_lon', 'shape_pt_sequence'];
const TRANSLATION_COLUMNS = ['table_name', 'field_name', 'language', 'translation', 'record_id', 'field_value'];

/**
 * Reads a timetable. Rows that cannot be read are told and left out.
 *
 * @param bytes - the zip
 * @throws {@link StreamError} `ERR_TIMETABLE_MALFORMED` - not a whole zip, a file or column is missing, a file is not CSV
 * @throws {@link StreamError} `ERR_TIMETABLE_TOO_LARGE` - beyond one of the limits, but for `limitShapePoints`
 * @throws {@link StreamError} `ERR_RECORDS_UNREADABLE` - there are rows, and none of them can be read
 * @see specs/timetable.md TT-1
 */
export async function readTimetable(bytes: Uint8Array, reading: TimetableReading): Promise<Snapshot> {
  const { include, iris, limits } = reading;
  const tables = TIMETABLE_PARTS.flatMap((part) =>
    part !== 'shapes' && include.has(part) ? [{ part, table: timetableTable(part, include, iris) }] : [],
  );
  const facts = ['feed_info.txt', 'agency.txt', 'translations.txt'];
  const shapes = include.has('shapes') ? [SHAPES] : [];
  const wanted = new Set([...facts, ...tables.map(({ table }) => table.file), ...shapes]);
  const timetable = new TimetableReader(await TimetableFiles.open(bytes, wanted, limits), reading);
  await timetable.readFacts();
  for (const { part, table } of tables) await timetable.readTable(part, table);
  if (include.has('shapes')) await timetable.readShapes();
  return timetable.snapshot();
}

/** A timetable as it is read, file by file. */
class TimetableReader {
  readonly #files: TimetableFiles;
  readonly #reading: TimetableReading;
  readonly #entities = new Map<string, Candidate>();
  readonly #unreadable: string[] = [];
  readonly #findings = new Map<string, number>();
  readonly #problems: StreamError[] = [];
  /** Texts in other languages, by their tags. */
  readonly #translations = new Map<string, Map<string, string>>();
  /** The language of the texts, where it is known. */
  #tag: string | undefined;
  #onlyAgency: string | undefined;
  #unnamedRecords = 0;

  constructor(files: TimetableFiles, reading: TimetableReading) {
    this.#files = files;
    this.#reading = reading;
  }

  snapshot(): Snapshot {
    const [problem] = this.#problems;
    if (this.#entities.size === 0 && problem) {
      const records = this.#findings.get('unreadable-row') ?? 0;
      throw errors.ERR_RECORDS_UNREADABLE({ records, first: problem.message }, problem);
    }
    return {
      entities: [...this.#entities.values()],
      deleted: [],
      unreadable: this.#unreadable,
      unnamedRecords: this.#unnamedRecords,
      differential: false,
      findings: Object.fromEntries(this.#findings),
      problems: this.#problems,
    };
  }

  /** Reads what rows of several files depend on: languages, translations, and the agency if there is only one. */
  async readFacts(): Promise<void> {
    const agencies: Row[] = [];
    await this.#files.eachRow('agency.txt', ['agency_id', 'agency_lang'], (row) => agencies.push(row));
    const languages = new Set(agencies.map(({ agency_lang }) => agency_lang));
    let stated = languages.size === 1 ? [...languages][0] : undefined;
    await this.#files.eachRow('feed_info.txt', ['feed_lang'], ({ feed_lang }) => {
      stated = feed_lang ?? stated;
    });
    // "mul" says that the texts are in several languages, and not which is in which.
    this.#tag = stated === undefined || stated.toLowerCase() === 'mul' ? undefined : languageTag(stated);
    if (agencies.length === 1) this.#onlyAgency = agencies[0]?.agency_id ?? NAMELESS_AGENCY;
    await this.#files.eachRow('translations.txt', TRANSLATION_COLUMNS, (row) => {
      const tag = languageTag(row.language ?? '');
      if (tag === undefined || row.translation === undefined) return;
      const key = translationKey(`${row.table_name}.txt`, row.field_name, row.record_id, row.field_value);
      const known = this.#translations.get(key) ?? new Map<string, string>();
      if (known.size === 0) this.#translations.set(key, known);
      // The first of several counts.
      if (!known.has(tag)) known.set(tag, row.translation);
    });
  }

  /** Reads a file whose rows are entities. */
  async readTable(part: TimetablePart, table: TimetableTable): Promise<void> {
    const { file, id: idColumn, columns, quads } = table;
    // The id of an only agency may be missing, column and all; a route without one is of that agency.
    const fallback = part === 'agencies' || part === 'routes' ? this.#onlyAgency : undefined;
    const write = contentWriter(quads);
    const required = part === 'agencies' && fallback !== undefined ? [] : [idColumn];
    const take = (row: Row, number: number) => {
      const known = fallback === undefined ? row : { agency_id: fallback, ...row };
      const id = known[idColumn];
      if (id === undefined) this.#refuse(file, number, `it has no ${idColumn}`);
      else this.#add(part, id, JSON.stringify(this.#content(table, id, known)), write);
    };
    await this.#files.eachRow(file, [idColumn, ...columns.map(({ name }) => name)], take, required);
  }

  /** Reads the shapes. One of which a point cannot be read stays as it was. */
  async readShapes(): Promise<void> {
    const { iris, limits } = this.#reading;
    // Sequence, longitude and latitude of each point: a list of numbers takes 24 bytes a point.
    const shapes = new Map<string, number[]>();
    const unusable = new Map<string, string>();
    await this.#files.eachRow(
      SHAPES,
      POINT_COLUMNS,
      ({ shape_id: id, shape_pt_lat, shape_pt_lon, shape_pt_sequence }, number) => {
        if (id === undefined) return this.#refuse(SHAPES, number, 'it has no shape_id');
        const point = [Number(shape_pt_sequence), Number(shape_pt_lon), Number(shape_pt_lat)];
        const points = shapes.get(id) ?? [];
        if (points.length === 0) shapes.set(id, points);
        if (points.length === 3 * limits.limitShapePoints) unusable.set(id, `more points than limitShapePoints`);
        else if (point.every(Number.isFinite)) points.push(...point);
        else unusable.set(id, `no place or sequence in row ${number}`);
      },
      POINT_COLUMNS,
    );
    const slices = new Slices();
    for (const [id, points] of shapes) {
      if (slices.isOver) await slices.next();
      const reason = unusable.get(id) ?? (points.length < 6 ? 'a single point' : undefined);
      if (reason === undefined) this.#add('shapes', id, pointsText(points), shapeQuads);
      else {
        this.#unreadable.push(iris.reference('shape', id));
        this.#tell(SHAPES, `the shape ${JSON.stringify(id)}`, `it has ${reason}`);
      }
    }
  }

  #add(part: TimetablePart, id: string, content: string, write: Write): void {
    const entity = this.#reading.iris.reference(REFERENCES[part], id);
    if (this.#entities.has(entity)) this.#count(`repeated-id:${part}`);
    const fingerprint = hash('sha256', `${MAPPING_VERSION} ${part} ${content}`, 'base64url').slice(0, 22);
    this.#entities.set(entity, new TimetableEntity(entity, fingerprint, content, write));
  }

  #content({ file, columns }: TimetableTable, id: string, row: Row): Record<string, string> {
    const content: Record<string, string> = {};
    for (const { name, read, odd, isText } of columns) {
      const given = row[name];
      if (given === undefined) continue;
      const value = read(given);
      if (value === undefined) this.#count(`unusable-${odd}`);
      else if (!isText || this.#tag === undefined) content[name] = value;
      else content[`${name}@${this.#tag}`] = value;
      if (isText && this.#translations.size > 0) this.#translate(content, file, name, id, given);
    }
    // Half a place is none.
    if (content.stop_lat === undefined || content.stop_lon === undefined) {
      delete content.stop_lat;
      delete content.stop_lon;
    }
    return content;
  }

  #translate(content: Record<string, string>, file: string, column: string, id: string, text: string): void {
    for (const key of [translationKey(file, column, id), translationKey(file, column, undefined, text)]) {
      for (const [tag, other] of this.#translations.get(key) ?? []) content[`${column}@${tag}`] ??= other;
    }
  }

  #refuse(file: string, number: number, reason: string): void {
    this.#unnamedRecords += 1;
    this.#tell(file, `row ${number}`, reason);
  }

  #tell(file: string, row: string, reason: string): void {
    this.#count('unreadable-row');
    if (this.#problems.length < PROBLEMS_TOLD) this.#problems.push(errors.ERR_TIMETABLE_ROW({ file, row, reason }));
  }

  #count(finding: string): void {
    this.#findings.set(finding, (this.#findings.get(finding) ?? 0) + 1);
  }
}

/** Makes the quads of an entity of its content. */
type Write = (entity: string, content: string) => readonly Quad[];

/** A closure of its own: one made within the reader would hold all that was read as long as any entity of it. */
function contentWriter(quads: TimetableTable['quads']): Write {
  return (entity, content) => quads(entity, JSON.parse(content));
}

/** What the timetable says of one entity. A class, since there are hundreds of thousands. */
class TimetableEntity implements Candidate {
  readonly entity: string;
  readonly fingerprint: string;
  readonly #content: string;
  readonly #write: Write;

  constructor(entity: string, fingerprint: string, content: string, write: Write) {
    this.entity = entity;
    this.fingerprint = fingerprint;
    this.#content = content;
    this.#write = write;
  }

  quads(): readonly Quad[] {
    return this.#write(this.entity, this.#content);
  }
}

/** The key of the translations of a field: of one record, or else of all that have a text. */
function translationKey(file: string, field = '', id?: string, text?: string): string {
  return [file, field, id === undefined ? 'text' : 'id', id ?? text].join('\n');
}

/** The points of a shape, three numbers each, in the order of their sequence. */
function pointsText(points: readonly number[]): string {
  const order = Array.from({ length: points.length / 3 }, (_, index) => 3 * index);
  order.sort((one, other) => (points[one] as number) - (points[other] as number));
  const degrees = (at: number) => decimalText(points[at] as number, 'double');
  return order.map((at) => `${degrees(at + 1)} ${degrees(at + 2)}`).join(', ');
}
