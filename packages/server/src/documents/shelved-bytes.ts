/** A representation of a sealed document as it is kept beside its members. */
export interface ShelvedBytes {
  /** Epoch milliseconds. */
  readonly lastModifiedMs: number;
  /** Whether the state before it was of another second. */
  readonly isDated: boolean;
  /** The entity tag but for format and encoding. */
  readonly tag: string;
  readonly bytes: Buffer;
}

const HEADER = /^(\d+) ([01]) ([\x21\x23-\x7e]+)$/;
const LINE_FEED = 10;

/** What is kept: a line with the date, whether it tells the state, and the tag; then the bytes. */
export function toShelved({ lastModifiedMs, isDated, tag, bytes }: ShelvedBytes): Buffer {
  return Buffer.concat([Buffer.from(`${lastModifiedMs} ${isDated ? 1 : 0} ${tag}\n`), bytes]);
}

/** What was kept; `undefined` for what was not kept by {@link toShelved}. */
export function fromShelved(kept: Buffer): ShelvedBytes | undefined {
  const end = kept.indexOf(LINE_FEED);
  const [, date, dated, tag] = HEADER.exec(kept.toString('latin1', 0, Math.max(0, end))) ?? [];
  if (date === undefined || tag === undefined) return undefined;
  return { lastModifiedMs: Number(date), isDated: dated === '1', tag, bytes: kept.subarray(end + 1) };
}
