/** What the publisher process is told. */
export interface IngestServerPlan {
  /** Folder of its store. */
  readonly folder: string;
  /** Who knows it may post. */
  readonly token: string;
}

/** What the publisher process tells: where it listens at first, and at the end what it took. */
export type IngestServerMessage = { readonly port: number } | IngestServerReport;

/** What the publisher process took. */
export interface IngestServerReport {
  /** Members of the log. */
  readonly members: number;
  readonly entities: number;
  /** The most memory of its own, without the files that are mapped, bytes. */
  readonly ownBytes: number;
  /** The most memory that was resident, with what the system holds of the mapped log, bytes. */
  readonly residentBytes: number;
  readonly cpuMicros: number;
}
