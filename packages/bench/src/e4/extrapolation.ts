/** What was measured of one core, from which a larger set-up is estimated. */
export interface MeasuredCosts {
  /** CPU time of the server for a round trip: two messages in and two out, microseconds. */
  readonly roundTripCpuMicros: number;
  /** CPU time of the server for an update that goes to one client, microseconds. */
  readonly updateCpuMicros: number;
  /** Memory of a process of the server before any client is connected, bytes. */
  readonly baseBytes: number;
  /** Memory of the server for a client that is connected, bytes. */
  readonly clientBytes: number;
  /** Bytes that the server sends as events for a round trip. */
  readonly eventBytes: number;
}

/** What is to be served, and by which machines. */
export interface Target {
  readonly clients: number;
  readonly requestsPerSecond: number;
  /** After how long a silence a client is sent a comment, seconds. */
  readonly heartbeatSeconds: number;
  /** Share of each core that is to be in use, in (0, 1]. */
  readonly cpuShare: number;
  readonly machineCores: number;
  /** Memory of a machine that processes and their clients may take, bytes. */
  readonly machineBytes: number;
}

/** What a target would need, on paper. */
export interface Needs {
  readonly messagesPerSecond: number;
  /** Comments that keep silent connections alive, a second. */
  readonly heartbeatsPerSecond: number;
  /** Cores at the share that is to be in use. */
  readonly cores: number;
  /** One for each core. */
  readonly processes: number;
  /** Of processes and their clients. */
  readonly memoryBytes: number;
  readonly machines: number;
  /** Machines that either asks for. */
  readonly byCores: number;
  readonly byMemory: number;
  /** Events sent, bits a second. */
  readonly bitsPerSecond: number;
}

/** Messages of a round trip: the request in and out, the reply in and out. */
export const MESSAGES_OF_ROUND_TRIP = 4;

/**
 * Estimates what a target needs from what one core took. It supposes that
 *
 * - a message costs the same however many clients and processes there are, and processes share nothing: users and the
 *   streams that they write to are divided among them;
 * - requests come from users at random, so that a client's silences are distributed exponentially;
 * - a comment costs no more than an update;
 * - there is a process for each core that is needed;
 * - memory is that of the processes without clients, and grows with the clients alone.
 */
export function extrapolate(costs: MeasuredCosts, target: Target): Needs {
  const { clients, requestsPerSecond, heartbeatSeconds, cpuShare, machineCores, machineBytes } = target;
  const repliesOfClient = requestsPerSecond / clients;
  // One for each whole heartbeat interval that fits into a silence.
  const heartbeatsPerSecond = requestsPerSecond / Math.expm1(repliesOfClient * heartbeatSeconds);
  const cpuMicros = requestsPerSecond * costs.roundTripCpuMicros + heartbeatsPerSecond * costs.updateCpuMicros;
  const cores = cpuMicros / 1e6 / cpuShare;
  const processes = Math.ceil(cores);
  const memoryBytes = processes * costs.baseBytes + clients * costs.clientBytes;
  const [byCores, byMemory] = [Math.ceil(cores / machineCores), Math.ceil(memoryBytes / machineBytes)];
  return {
    messagesPerSecond: requestsPerSecond * MESSAGES_OF_ROUND_TRIP,
    heartbeatsPerSecond,
    cores,
    processes,
    memoryBytes,
    machines: Math.max(byCores, byMemory),
    byCores,
    byMemory,
    bitsPerSecond: requestsPerSecond * costs.eventBytes * 8,
  };
}
