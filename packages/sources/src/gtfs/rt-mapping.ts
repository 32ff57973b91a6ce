import { createEntityIris, type EntityIris, type IriTemplates } from './entity-iris.ts';
import { createKeyReader, type KeyFields, type ReadKey } from './natural-key.ts';

/** How a feed becomes RDF: what an operator may configure of it. */
export interface RtMappingOptions {
  /** Base URL of the server, absolute, ending in `/`: `{+base}` in the templates. */
  readonly publicUrl: string;
  /** URL of the stream's root: `{+stream}` in the templates. */
  readonly streamUrl: string;
  /** Other fields to make the keys of. */
  readonly keys?: KeyFields;
  /** Other IRIs. */
  readonly iris?: Partial<IriTemplates>;
  /**
   * Whether licence plates are published: they can be personal data.
   * @defaultValue false
   */
  readonly publishLicensePlates?: boolean;
}

/** How a feed becomes RDF, ready to use. */
export interface RtMapping {
  readonly readKey: ReadKey;
  readonly iris: EntityIris;
  readonly publishLicensePlates: boolean;
}

/**
 * Prepares the mapping of a feed.
 *
 * @throws {@link StreamError} `ERR_KEY_FIELD` - `keys` names what is no field
 * @throws {@link StreamError} `ERR_IRI_TEMPLATE` - a template of `iris` does not make one IRI per key
 * @see specs/gtfs-realtime.md GTFS-8
 */
export function createRtMapping(options: RtMappingOptions): RtMapping {
  return {
    readKey: createKeyReader(options.keys),
    iris: createEntityIris({ base: options.publicUrl, stream: options.streamUrl }, options.iris),
    publishLicensePlates: options.publishLicensePlates ?? false,
  };
}
