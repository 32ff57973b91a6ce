// The instant for which an update was scheduled travels inside it, so that whoever gets it knows how late it is.

const MARK = Buffer.from('published-at:');
const DIGITS = 16;

/** Length of every stamp, bytes. */
export const STAMP_BYTES = MARK.length + DIGITS;

/**
 * The stamp of an instant.
 *
 * @param micros - of the clock of {@link monotonicMicros}, an integer
 */
export function stamp(micros: number): string {
  return `${MARK.toString()}${String(micros).padStart(DIGITS, '0')}`;
}

/** What a text with stamps looks like around them, so that it can be stamped anew by joining. */
export function aroundStamps(text: string): string[] {
  return text.split(new RegExp(`${MARK.toString()}\\d{${DIGITS}}`));
}

/** Where the next stamp begins, at or after `from`; -1 where there is none before `end`. */
export function findStamp(bytes: Buffer, from: number, end: number): number {
  const at = bytes.indexOf(MARK, from);
  return at >= 0 && at + STAMP_BYTES <= end ? at : -1;
}

/** The instant of the stamp that begins there, microseconds. */
export function readStamp(bytes: Buffer, at: number): number {
  let micros = 0;
  for (let index = at + MARK.length; index < at + STAMP_BYTES; index += 1) {
    micros = micros * 10 + ((bytes[index] as number) - 0x30);
  }
  return micros;
}
