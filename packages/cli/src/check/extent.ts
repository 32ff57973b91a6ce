/** How far a check went. */
export interface CheckExtent {
  readonly pagesRead: number;
  /** Of which it has heard, read or not. */
  readonly pagesKnown: number;
  readonly requests: number;
  /** Of content, as sent. */
  readonly bytes: number;
  readonly seconds: number;
  /** Why it ended before its time; absent where it did not. */
  readonly stopped?: string;
}
