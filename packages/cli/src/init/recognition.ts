import type { DocumentReading } from '@ldes-live/sources';
import type { SourceKind } from '../command-line/init-command.ts';

/** What a sample was taken for. */
export interface Recognition {
  readonly source: SourceKind;
  /** What it was told by, for people. */
  readonly because: string;
  /** How its bytes become a document; absent for what is no document of records. */
  readonly reading?: DocumentReading;
  /** Which feed of GBFS it is, or is taken of the system; absent for what is no GBFS. */
  readonly gbfsFeed?: string;
  /** It is the discovery document of a GBFS system. */
  readonly isGbfsSystem?: boolean;
}
