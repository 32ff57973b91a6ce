/** What a broker sends, as far as a client that only listens cares. */
export type InboundPacket =
  | {
      readonly kind: 'connack';
      readonly isSessionPresent: boolean;
      /** 0: accepted. */
      readonly code: number;
      readonly said?: string;
      /** Seconds; what the broker wants instead of what was asked for. */
      readonly keepAliveSeconds?: number;
    }
  | {
      readonly kind: 'publish';
      /** Empty when there is only an alias. */
      readonly topic: string;
      readonly alias?: number;
      readonly messageId?: number;
      readonly isRepeated: boolean;
      readonly isRetained: boolean;
      readonly payload: Uint8Array;
      readonly oversizedBytes?: number;
    }
  | { readonly kind: 'suback'; readonly messageId: number; readonly codes: readonly number[]; readonly said?: string }
  | { readonly kind: 'pingresp' }
  | { readonly kind: 'disconnect'; readonly code: number; readonly said?: string }
  /** Nothing behind it can be read. */
  | { readonly kind: 'broken'; readonly reason: string };
