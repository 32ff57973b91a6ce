import { as, type Draft, dct, prov, rdf, type StreamDescription, sosa, xsd } from '@ldes-live/rdf-stream';
import type { Quad, Quad_Object } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { OwnIris } from './own-iris.ts';
import { ownText } from './own-text.ts';
import type { PostedMember } from './posted-member.ts';
import { stateFingerprint } from './state-fingerprint.ts';
import { isXsdDateTime } from './xsd-date-time.ts';

/** Which feed posted members come from. */
export const POST_ORIGIN = 'post';

/**
 * What is published of a posted member. What the server states itself is left out.
 *
 * A member that names an entity by `dct:isVersionOf` is a version of it, and keeps its IRI; any other is the state of what
 * its IRI names. One of type `as:Delete` is the end of its entity.
 *
 * @throws {@link StreamError} `ERR_POST_VERSION` - it does not name one other entity
 * @throws {@link StreamError} `ERR_POST_OWN_IRI` - it, or its entity, has an IRI of the server's, or one that versions get
 * @throws {@link StreamError} `ERR_POST_TIME` - what it says to be its time is not one `xsd:dateTime`
 * @throws {@link StreamError} `ERR_POST_NOTHING_SAID` - there is nothing in it but what the server states itself
 * @see specs/ingest.md ING-14, ING-15, ING-16, ING-17, ING-18, ING-53, ING-54
 */
export function postedDraft(
  { iri, quads: given }: PostedMember,
  { sequencePath }: Pick<StreamDescription, 'sequencePath'>,
  isOwnIri: OwnIris,
): Draft {
  const entities: Quad_Object[] = [];
  const times: Quad_Object[] = [];
  const quads: Quad[] = [];
  let isEnd = false;
  for (const quad of given) {
    const { predicate, object } = quad;
    if (quad.subject.termType === 'NamedNode') {
      if (predicate.value === dct.isVersionOf) {
        entities.push(object);
        continue;
      }
      if (predicate.value === prov.generatedAtTime || predicate.value === sequencePath) continue;
      if (predicate.value === sosa.resultTime) times.push(object);
      else if (predicate.value === rdf.type && object.value === as.Delete) isEnd = true;
    }
    quads.push(quad);
  }
  const entity = entityOf(iri, entities);
  assertFreeIris(iri, entity, isOwnIri);
  // Kept for as long as the entity lives, which the body is not to be.
  const base = { entity: ownText(entity ?? iri), origin: POST_ORIGIN };
  const version = entity === undefined ? {} : { id: ownText(iri) };
  if (isEnd) return { ...base, ...version, kind: 'delete' };
  if (quads.length === 0) throw errors.ERR_POST_NOTHING_SAID({ node: `The member ${iri}`, problem: STATED_HERE });
  const versionTime = timeOf(iri, times);
  const time = versionTime === undefined ? {} : { versionTime: ownText(versionTime) };
  const fingerprint = version.id ?? stateFingerprint(quads);
  return { ...base, ...version, ...time, kind: 'upsert', quads, fingerprint };
}

const STATED_HERE = 'all that is in it the server states itself. Say what is to be published';

/** A version of the IRI that the log makes of an entity and a time: it might make the same. */
const MADE_BY_LOG = /#(?:.*\/)?(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/s;

function assertFreeIris(member: string, entity: string | undefined, isOwnIri: OwnIris): void {
  const own = [member, entity].find((iri) => iri !== undefined && isOwnIri(iri));
  if (own !== undefined)
    throw errors.ERR_POST_OWN_IRI({ member, iri: own, problem: 'which the server speaks of itself' });
  if (entity === undefined || !MADE_BY_LOG.test(member)) return;
  const problem = 'which is as the server makes one of an entity and a time';
  throw errors.ERR_POST_OWN_IRI({ member, iri: member, problem });
}

function entityOf(member: string, [entity, ...others]: readonly Quad_Object[]): string | undefined {
  if (!entity) return undefined;
  const problem = (text: string) => errors.ERR_POST_VERSION({ member, problem: text });
  if (others.length > 0) throw problem('is a version of several entities');
  if (entity.termType !== 'NamedNode') throw problem('is a version of what has no IRI');
  if (entity.value === member) throw problem('is a version of itself');
  return entity.value;
}

/** The one time that is stated; `undefined` where there is none. No reader could take a stream with another. */
function timeOf(member: string, [time, ...others]: readonly Quad_Object[]): string | undefined {
  if (!time) return undefined;
  const other = others.find((candidate) => !candidate.equals(time));
  if (other) throw errors.ERR_POST_TIME({ member, value: `${time.value}, ${other.value}` });
  const isTime = time.termType === 'Literal' && time.datatype.value === xsd.dateTime && isXsdDateTime(time.value);
  if (!isTime) throw errors.ERR_POST_TIME({ member, value: time.value });
  return time.value;
}
