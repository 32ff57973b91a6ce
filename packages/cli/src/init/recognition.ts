import type { DocumentReading } from '@ldes-live/sources';
import type { SourceKind } from '../command-line/init-command.ts';

/** What a sample was taken for. */
export interface Recognition {
  readonly source: SourceKind;
  /** What it was told by, for people. */
  readonly because: string;
  /** How its bytes become a document; absent for what is no document of records. */
  readonly reading?: DocumentReading;
  /** Which feed of GBFS it is; absent for the discovery document, and for what is no GBFS. */
  readonly gbfsFeed?: string;
  /** The sample is the list of what a SensorThings service has, not the observations. */
  readonly isServiceRoot?: boolean;
}
