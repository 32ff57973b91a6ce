import type { Extent } from '@ldes-live/rdf-stream';

/**
 * Where a log keeps the bytes of sealed documents beside its members, so that they are made once. What it gives back
 * is what it was given or nothing: a crash may lose entries, never damage one. Retention takes the entries of the
 * members that it erases.
 *
 * @see specs/retention.md RET-9
 */
export interface DocumentShelf {
  /**
   * The bytes that were put for this document; `undefined` when there are none, or when they cannot be read.
   *
   * @param extent - the members that the document stands for: whole pages of one range
   * @param variant - which document and representation of it: 1 to 64 of `a-z`, `0-9`, `.` and `-`
   * @throws {@link StreamError} `ERR_SHELF_ENTRY` - another extent or variant
   */
  get(extent: Extent, variant: string): Promise<Buffer | undefined>;
  /**
   * Keeps bytes; resolves when they are kept, or when the extent was erased or the log closed. Putting a variant again changes nothing.
   *
   * Serving does not depend on it: whoever serves the document need not wait, and may pass over what it throws.
   *
   * @param extent - as for {@link DocumentShelf.get}
   * @param variant - as for {@link DocumentShelf.get}
   * @param bytes - not to be changed before the promise settles; less than 4 GiB
   * @throws {@link StreamError} `ERR_SHELF_ENTRY` - another extent or variant
   * @throws {@link StreamError} `ERR_SHELF_WRITE` - no room, or 256 others wait already
   */
  put(extent: Extent, variant: string, bytes: Uint8Array): Promise<void>;
}
