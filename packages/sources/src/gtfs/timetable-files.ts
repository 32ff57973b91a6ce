/* The CSV files in the zip of a timetable, read row by row.
 *
 *   'stop_id,stop_name\n7,"Ring, north"\n' -> take({ stop_id: '7', stop_name: 'Ring, north' }, 1)
 *
 * A zip may be made to harm: what it declares is compared with the limits before anything is unpacked, and what is unpacked
 * with what it declares. */

import { pipeline, Transform } from 'node:stream';
import { crc32 } from 'node:zlib';
import { isStreamError, type StreamError } from '@ldes-live/rdf-stream';
import { parse } from 'csv-parse';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { errors } from '../errors.ts';
import { Slices } from '../slices.ts';

/** How much of the zip of a timetable is read. */
export interface FileLimits {
  /** How many files the zip may have: 1 to 65535. @defaultValue 1000 */
  readonly limitFiles: number;
  /** Of the files that are read, unpacked, all together, bytes: 1 or more. @defaultValue 100663296, 96 MiB */
  readonly limitUnpackedBytes: number;
  /** Rows of all files but those of trips and shapes, together: 1 or more. @defaultValue 200000 */
  readonly limitRows: number;
  /** Rows of `trips.txt`: 1 or more. @defaultValue 200000 */
  readonly limitTrips: number;
  /** Rows of `shapes.txt`, which are points: 1 or more. @defaultValue 2000000 */
  readonly limitPoints: number;
}

/** Which limit holds for the rows of a file, where they do not count to `limitRows`. */
const ROW_LIMITS: Readonly<Record<string, 'limitTrips' | 'limitPoints'>> = {
  'trips.txt': 'limitTrips',
  'shapes.txt': 'limitPoints',
};

/** A row, by the columns that were asked for, in lower case; values have no white space around them and are not empty. */
export type Row = Readonly<Record<string, string>>;

/** The longest row, bytes: a quote that is not closed would make one of all that follows. */
const ROW_BYTES = 1_048_576;

/**
 * The CSV files of a zip, read as streams and in slices.
 *
 * Every error of reading is `ERR_TIMETABLE_MALFORMED`, or `ERR_TIMETABLE_TOO_LARGE` beyond a limit.
 */
export class TimetableFiles {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #limits: FileLimits;
  readonly #slices = new Slices();
  /** Rows of the files that were read, by file: one may be read twice. */
  readonly #rowCounts = new Map<string, number>();

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>, limits: FileLimits) {
    this.#zip = zip;
    this.#entries = entries;
    this.#limits = limits;
  }

  /** @param wanted - the names of the files that may be read */
  static async open(bytes: Uint8Array, wanted: ReadonlySet<string>, limits: FileLimits): Promise<TimetableFiles> {
    const { limitFiles, limitUnpackedBytes } = limits;
    try {
      const zip = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
      if (zip.entryCount > limitFiles) throw tooLarge('the zip has more files', 'limitFiles', limitFiles);
      const entries = new Map<string, Entry>();
      for await (const entry of zip.eachEntry()) {
        // Some producers have all files in a folder.
        const name = entry.fileName.split('/').at(-1) as string;
        const depth = entries.get(name)?.fileName.length ?? Number.POSITIVE_INFINITY;
        if (wanted.has(name) && entry.fileName.length < depth) entries.set(name, entry);
      }
      // What unpacks to more than it declares fails while it is read.
      const unpacked = [...entries.values()].reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
      if (unpacked <= limitUnpackedBytes) return new TimetableFiles(zip, entries, limits);
      throw tooLarge('its files unpack to more bytes', 'limitUnpackedBytes', limitUnpackedBytes);
    } catch (thrown) {
      if (isStreamError(thrown)) throw thrown;
      const start = Buffer.from(bytes.subarray(0, 20)).toString('latin1');
      throw malformed(
        'the zip',
        start.startsWith('PK') ? thrown : `it is not a zip: it starts with ${JSON.stringify(start)}`,
      );
    }
  }

  has(file: string): boolean {
    return this.#entries.has(file);
  }

  /**
   * Reads the rows of a file, of which a missing one has none.
   *
   * @param take - gets each; the first after the header has the number 1
   * @param required - the columns without which the file fails
   */
  async eachRow(
    file: string,
    columns: readonly string[],
    take: (row: Row, number: number) => void,
    required: readonly string[] = [],
  ): Promise<void> {
    const limit = ROW_LIMITS[file] ?? 'limitRows';
    const most = this.#limits[limit];
    const before = limit === 'limitRows' ? this.#rowsBeside(file) : 0;
    let wanted: readonly (readonly [name: string, index: number])[] | undefined;
    let number = 0;
    for await (const values of this.#rows(file)) {
      if (this.#slices.isOver) await this.#slices.next();
      if (wanted) {
        number += 1;
        if (before + number > most) {
          throw tooLarge(`${before === 0 ? file : `${file} and others`} has more rows`, limit, most);
        }
        const row: Record<string, string> = {};
        for (const [name, index] of wanted) {
          const value = values[index]?.trim();
          if (value) row[name] = value;
        }
        take(row, number);
      } else {
        const header = values.map((name) => name.trim().toLowerCase());
        wanted = columns.map((name) => [name, header.indexOf(name)]);
        const missing = required.find((name) => !header.includes(name));
        if (missing !== undefined) throw malformed(file, `it has no column ${missing}`);
      }
    }
    if (!wanted && required.length > 0) throw malformed(file, this.has(file) ? 'it is empty' : 'it is missing');
    if (limit === 'limitRows') this.#rowCounts.set(file, number);
  }

  #rowsBeside(file: string): number {
    let rows = 0;
    for (const [other, count] of this.#rowCounts) if (other !== file) rows += count;
    return rows;
  }

  async *#rows(file: string): AsyncGenerator<string[]> {
    const entry = this.#entries.get(file);
    if (!entry) return;
    try {
      const unpacked = await this.#zip.openReadStreamPromise(entry);
      const rows = parse({
        bom: true,
        ltrim: true,
        relax_column_count: true,
        relax_quotes: true,
        skip_empty_lines: true,
        max_record_size: ROW_BYTES,
      });
      // What fails ends the others, and the iteration throws it.
      pipeline(unpacked, checksum(entry.crc32), rows, () => undefined);
      yield* rows;
    } catch (thrown) {
      throw malformed(file, thrown);
    }
  }
}

/** Passes bytes on, and fails at their end if they are not those that were packed: yauzl compares sizes only. */
function checksum(expected: number): Transform {
  let actual = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      actual = crc32(chunk, actual);
      done(null, chunk);
    },
    flush: (done) => done(actual === expected ? null : new Error('its checksum is wrong')),
  });
}

function malformed(file: string, cause: unknown): StreamError {
  const reason = (cause instanceof Error ? cause.message : String(cause)).slice(0, 200).replace(/\.$/, '');
  return errors.ERR_TIMETABLE_MALFORMED({ file, reason }, cause instanceof Error ? cause : undefined);
}

function tooLarge(what: string, limit: string, most: number): StreamError {
  return errors.ERR_TIMETABLE_TOO_LARGE({ what, limit, most });
}
