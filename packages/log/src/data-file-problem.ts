// Where the two meta pages of a data file have what, as lmdb-js 3.5 writes them: page header, then the meta data.
const MAGIC = 0xbeefc0de;
const MAGIC_OFFSET = 24;
const PAGE_SIZE_OFFSET = 48;
const LAST_PAGE_OFFSET = 144;
const TRANSACTION_OFFSET = 152;
const META_END = 160;
const LARGEST_PAGE_BYTES = 65_536;

/** How much of the beginning of a data file tells whether it can be opened, bytes. */
export const META_BYTES: number = LARGEST_PAGE_BYTES + META_END;

/**
 * What keeps a data file from being opened, in words; `undefined` when nothing does that its beginning can tell.
 *
 * LMDB maps the file into memory and trusts its meta data: of a file that is shorter than they say, it reads past
 * the end, which no program survives.
 *
 * @param start - the first {@link META_BYTES} bytes, or all there are
 * @param sizeBytes - size of the whole file
 */
export function dataFileProblem(start: Buffer, sizeBytes: number): string | undefined {
  // An empty file is what an open leaves that was killed at once; LMDB begins anew with it.
  if (sizeBytes === 0) return undefined;
  if (start.length < META_END || start.readUInt32LE(MAGIC_OFFSET) !== MAGIC) return 'its data.mdb is not of LMDB';
  const pageBytes = start.readUInt32LE(PAGE_SIZE_OFFSET);
  const isPageSize = pageBytes >= 256 && pageBytes <= LARGEST_PAGE_BYTES && (pageBytes & (pageBytes - 1)) === 0;
  if (!isPageSize || start.length < pageBytes + META_END) return 'its data.mdb is damaged: it has no page size';
  const metas = [start.subarray(0, META_END), start.subarray(pageBytes, pageBytes + META_END)];
  if (metas.some((meta) => meta.readUInt32LE(MAGIC_OFFSET) !== MAGIC))
    return 'its data.mdb is damaged at its beginning';
  const [first, second] = metas.map((meta) => ({
    transaction: meta.readBigUInt64LE(TRANSACTION_OFFSET),
    endBytes: (meta.readBigUInt64LE(LAST_PAGE_OFFSET) + 1n) * BigInt(pageBytes),
  })) as [Meta, Meta];
  const newest = first.transaction > second.transaction ? first : second;
  if (newest.endBytes <= BigInt(sizeBytes)) return undefined;
  return `its data.mdb is cut short: it has ${sizeBytes} of ${newest.endBytes} bytes`;
}

interface Meta {
  readonly transaction: bigint;
  readonly endBytes: bigint;
}
