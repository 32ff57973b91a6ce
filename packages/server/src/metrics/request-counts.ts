import { REQUEST_KINDS, type RequestKind } from '../documents/document.ts';

/** What is told apart of the answers: 304 is what a poller gets that has the newest state already. */
export const STATUS_CLASSES = ['2xx', '3xx', '304', '4xx', '5xx'] as const;
export type StatusClass = (typeof STATUS_CLASSES)[number];

const CLASSES = STATUS_CLASSES.length;

// By name, since that is how views and routes say what they are.
const FIRST_OF_KIND = Object.fromEntries(REQUEST_KINDS.map((kind, index) => [kind, index * CLASSES])) as Readonly<
  Record<RequestKind, number>
>;

/** Counts the requests of a stream, or of what is beside the streams, by kind and status: an increment for each. */
export class RequestCounts {
  readonly #counts = new Float64Array(REQUEST_KINDS.length * CLASSES);

  /**
   * Counts an answer.
   *
   * @param status - of HTTP, 200 to 599
   * @see specs/metrics.md PUSH-41
   */
  add(kind: RequestKind, status: number): void {
    (this.#counts[FIRST_OF_KIND[kind] + classOf(status)] as number) += 1;
  }

  /** How many there were. */
  count(kind: RequestKind, status: StatusClass): number {
    return this.#counts[FIRST_OF_KIND[kind] + STATUS_CLASSES.indexOf(status)] as number;
  }
}

function classOf(status: number): number {
  if (status === 304) return 2;
  if (status < 300) return 0;
  if (status < 400) return 1;
  return status < 500 ? 3 : 4;
}
