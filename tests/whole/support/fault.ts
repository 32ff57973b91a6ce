/** Something that goes wrong with one exchange between a client and a server: plain data, to be printed and made smaller. */
export type Fault =
  /** The answer, or its body, comes later. */
  | { readonly fault: 'delay-head'; readonly ms: number }
  | { readonly fault: 'delay-body'; readonly ms: number }
  /** The connection ends before anything was answered, or within the header. */
  | { readonly fault: 'reset' }
  | { readonly fault: 'cut-head' }
  /** The connection ends when a share of the body has passed. */
  | { readonly fault: 'cut-body'; readonly share: number }
  /** A field of the header is lost. */
  | { readonly fault: 'drop'; readonly field: DroppedField }
  /** An earlier answer comes again, the oldest but `back`; a stubborn cache does not mind being told to ask anew. */
  | { readonly fault: 'stale'; readonly back: number; readonly isStubborn: boolean }
  /** `Date` is off, or there is an `Age` that the answer does not have. */
  | { readonly fault: 'date'; readonly seconds: number }
  | { readonly fault: 'age'; readonly seconds: number }
  /** Another answer takes its place. */
  | { readonly fault: 'status'; readonly status: number; readonly retryAfterSeconds?: number }
  | { readonly fault: 'html' }
  /** Of a push connection, by the number of the event: it comes later, twice, or only in part before the end. */
  | { readonly fault: 'delay-event'; readonly event: number; readonly ms: number }
  | { readonly fault: 'double-event'; readonly event: number }
  | { readonly fault: 'cut-event'; readonly event: number; readonly share: number }
  /** Events are passed on when so many bytes have come together, or so long after the first of them. */
  | { readonly fault: 'hold-bytes'; readonly bytes: number }
  | { readonly fault: 'hold-time'; readonly ms: number };

/** Header fields that get lost. */
export const DROPPED_FIELDS = [
  'date',
  'age',
  'etag',
  'next-update',
  'ldes-cursor',
  'link',
  'cache-control',
  'content-type',
] as const;

type DroppedField = (typeof DROPPED_FIELDS)[number];

/** The fault of a kind among the faults of an exchange. */
export function faultOf<Kind extends Fault['fault']>(
  faults: readonly Fault[],
  kind: Kind,
): Extract<Fault, { readonly fault: Kind }> | undefined {
  return faults.find((fault): fault is Extract<Fault, { readonly fault: Kind }> => fault.fault === kind);
}
