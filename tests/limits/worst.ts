import type { Taken } from './product.ts';

/** The worst that a limit lets in. */
export interface Worst {
  /** What it is, in words. */
  readonly title: string;
  /** Has a new process of the command take it. */
  readonly run: () => Promise<Taken>;
}
