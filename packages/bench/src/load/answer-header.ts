const [CR, LF, COLON, SPACE] = [0x0d, 0x0a, 0x3a, 0x20];
const STATUS_AT = 'HTTP/1.1 '.length;

/** What the header of an answer says, as far as it matters to who polls. */
export interface AnswerHeader {
  readonly status: number;
  /** Length of the header with the empty line after it. */
  readonly headerBytes: number;
  /** Length of the body; `undefined` where only its chunks tell. */
  readonly bodyBytes: number | undefined;
  /** Whether the server ends the connection after it. */
  readonly isLast: boolean;
  readonly isGzip: boolean;
  readonly ageSeconds: number;
  /** Fields as they are. */
  readonly cacheControl?: string;
  readonly date?: string;
  readonly expires?: string;
  readonly etag?: string;
  readonly nextUpdate?: string;
}

interface Fields {
  contentLength?: string;
  connection?: string;
  contentEncoding?: string;
  age?: string;
  cacheControl?: string;
  date?: string;
  expires?: string;
  etag?: string;
  nextUpdate?: string;
}

// By length, so that most fields are passed by without a look at their names.
const NAMES = new Map<number, readonly (readonly [name: Buffer, key: keyof Fields])[]>();
for (const [name, key] of [
  ['content-length', 'contentLength'],
  ['connection', 'connection'],
  ['content-encoding', 'contentEncoding'],
  ['age', 'age'],
  ['cache-control', 'cacheControl'],
  ['date', 'date'],
  ['expires', 'expires'],
  ['etag', 'etag'],
  ['next-update', 'nextUpdate'],
] as const) {
  NAMES.set(name.length, [...(NAMES.get(name.length) ?? []), [Buffer.from(name), key]]);
}

/**
 * Reads the header of an answer at the beginning of some bytes; `undefined` while its end is not there.
 *
 * @param length - how many of the bytes count
 */
export function readAnswerHeader(bytes: Buffer, length: number): AnswerHeader | undefined {
  const fields: Fields = {};
  let lineAt = 0;
  let colonAt = -1;
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at];
    if (byte === COLON && colonAt < 0) colonAt = at;
    else if (byte === LF) {
      if (at - lineAt <= 1) return headerOf(bytes, at + 1, fields);
      if (lineAt > 0 && colonAt > 0) takeField(fields, bytes, lineAt, colonAt, at);
      lineAt = at + 1;
      colonAt = -1;
    }
  }
  return undefined;
}

function takeField(fields: Fields, bytes: Buffer, start: number, colonAt: number, end: number): void {
  const names = NAMES.get(colonAt - start);
  if (names === undefined) return;
  for (const [name, key] of names) {
    if (!isNamed(bytes, start, name)) continue;
    const from = bytes[colonAt + 1] === SPACE ? colonAt + 2 : colonAt + 1;
    fields[key] = bytes.toString('latin1', from, bytes[end - 1] === CR ? end - 1 : end);
    return;
  }
}

function isNamed(bytes: Buffer, start: number, name: Buffer): boolean {
  for (let index = 0; index < name.length; index += 1) {
    // Letters in lower case; hyphens stay.
    if (((bytes[start + index] as number) | 0x20) !== ((name[index] as number) | 0x20)) return false;
  }
  return true;
}

function headerOf(bytes: Buffer, headerBytes: number, fields: Fields): AnswerHeader {
  const { contentLength, connection, contentEncoding, age, ...kept } = fields;
  const status = digits(bytes, STATUS_AT, STATUS_AT + 3);
  const hasNone = status === 304 || status === 204;
  return {
    status,
    headerBytes,
    bodyBytes: hasNone ? 0 : contentLength === undefined ? undefined : Number(contentLength),
    isLast: connection !== undefined && connection.toLowerCase() === 'close',
    isGzip: contentEncoding === 'gzip',
    ageSeconds: age === undefined ? 0 : Number(age) || 0,
    ...kept,
  };
}

function digits(bytes: Buffer, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at += 1) value = value * 10 + (bytes[at] as number) - 0x30;
  return value;
}
