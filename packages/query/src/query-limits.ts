/** What a live query may cost. All are 1 or more. */
export interface QueryLimits {
  /** Solutions or quads of an answer. @defaultValue 100000 */
  readonly limitRows: number;
  /** Quads that its view may hold. @defaultValue 2000000 */
  readonly limitQuads: number;
  /** The longest evaluation, in milliseconds. @defaultValue 30000 */
  readonly limitEvaluationMs: number;
  /** Characters of the query's text. @defaultValue 10000 */
  readonly limitQueryChars: number;
}
