/** What the processes of the measurement tell and are told. */
export interface SensorServerPlan {
  readonly port: number;
  readonly folder: string;
  readonly brokerUrl: string;
}

/** Told when a server has ended. */
export interface SensorServerReport {
  readonly cpuMicros: number;
  /** Members of its log. */
  readonly members: number;
  /** Errors and findings of its source. */
  readonly errors: Readonly<Record<string, number>>;
  readonly findings: Readonly<Record<string, number>>;
}

export interface SensorsPlan {
  readonly brokerPort: number;
  readonly sensors: number;
  readonly seconds: number;
}

/** Told when the broker has acknowledged everything. */
export interface SensorsReport {
  readonly published: number;
  readonly cpuMicros: number;
  /** How much later than planned a message was written at most, milliseconds: a load that is late makes lags. */
  readonly lateMs: number;
}

export interface LagReaderPlan {
  readonly url: string;
  /** How many messages it waits for at most. */
  readonly messages: number;
}

/** A message as a reader got it: when it was to be published, epoch milliseconds, and how much later it was read. */
export type LagSample = readonly [plannedMs: number, lagMs: number];

export interface LagReaderReport {
  readonly samples: readonly LagSample[];
  /** Messages that came more than once. */
  readonly doubled: number;
  /** Gaps that the client told of. */
  readonly gaps: number;
  readonly cpuMicros: number;
  readonly mode: string;
}
