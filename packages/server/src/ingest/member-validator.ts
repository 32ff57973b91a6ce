import { dct, namedNode, prov, type StreamDescription } from '@ldes-live/rdf-stream';
import type { DatasetCore, Quad, Term } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { ContentShape } from '../options.ts';
import type { PostedMember } from './posted-member.ts';

/** How many violations of a member are told. */
const TOLD_VIOLATIONS = 10;

/** One thing that is not as the shape says. */
interface Violation {
  /** IRI of the property, or what the member as a whole is called. */
  readonly path: string;
  /** What the shape says of it. */
  readonly message: string;
  /** IRI of the kind of constraint, such as `sh:MinCountConstraintComponent`. */
  readonly constraint: string;
  /** The value at fault, where there is one. */
  readonly value?: string;
  /** The node at fault, where it is another than the member. */
  readonly node?: string;
}

/**
 * Tells what of a member is not as the shape says: nothing where all is.
 *
 * @throws {@link StreamError} `ERR_POST_UNCHECKABLE` - it cannot be told
 */
export type MemberValidator = (member: PostedMember) => readonly Violation[];

/**
 * Makes a validator of a shape. What the server states itself need not be in a member, and is not looked at.
 *
 * @throws {@link StreamError} `ERR_SHAPE_UNUSABLE` - the shape is no shape, or what validates could not be loaded
 * @see specs/ingest.md ING-30
 */
export async function createMemberValidator(
  shape: ContentShape,
  { name: stream, sequencePath }: Pick<StreamDescription, 'name' | 'sequencePath'>,
): Promise<MemberValidator> {
  if (!shape.quads.some(({ subject }) => subject.value === shape.iri)) {
    throw errors.ERR_SHAPE_UNUSABLE({ stream, reason: `it says nothing of ${shape.iri}` });
  }
  const ofServer: ReadonlySet<string> = new Set([dct.isVersionOf, prov.generatedAtTime, sequencePath]);
  try {
    const validate = await loadValidator(shape);
    // What is wrong with the shape is found when it is used.
    validate([], namedNode(shape.iri));
    return ({ iri, quads }) =>
      validated(() => validate(quads, namedNode(iri)), iri)
        .filter(({ path }) => !ofServer.has(path?.value ?? ''))
        .slice(0, TOLD_VIOLATIONS)
        .map((result) => violationOf(result, iri));
  } catch (cause) {
    throw errors.ERR_SHAPE_UNUSABLE({ stream, reason: (cause as Error).message }, cause);
  }
}

/**
 * @throws {@link StreamError} `ERR_POST_UNCHECKABLE` - a shape that refers to itself was followed along too long a chain
 */
function validated(validate: () => readonly Result[], member: string): readonly Result[] {
  try {
    return validate();
  } catch (cause) {
    // The stack is at its end.
    throw cause instanceof RangeError ? errors.ERR_POST_UNCHECKABLE({ member }, cause) : cause;
  }
}

interface Result {
  readonly path: Term | null;
  readonly message: readonly Term[];
  readonly focusNode: Term | null;
  readonly sourceConstraintComponent: Term | null;
  readonly value: Term | null;
}

function violationOf({ path, message, focusNode, sourceConstraintComponent, value }: Result, iri: string): Violation {
  const constraint = sourceConstraintComponent?.value ?? '';
  const told = message.map((text) => text.value).join(' ') || constraint.replace(/^.*#(.*)ConstraintComponent$/, '$1');
  return {
    path: path?.value ?? 'the member',
    message: told,
    constraint,
    ...(value && { value: value.value }),
    ...(focusNode && focusNode.value !== iri && { node: focusNode.value }),
  };
}

async function loadValidator(shape: ContentShape): Promise<(quads: readonly Quad[], focus: Term) => readonly Result[]> {
  const [{ default: Validator }, { Store }] = await Promise.all([import('rdf-validate-shacl'), import('n3')]);
  // A store of its has the interface of a dataset, and finds by index.
  const dataset = (quads: readonly Quad[]) => new Store([...quads] as never) as unknown as DatasetCore;
  const validator = new Validator(dataset(shape.quads));
  const root = namedNode(shape.iri);
  return (quads, focus) => {
    // In one go: posts take turns between members. Each gets a report of its own.
    const engine = validator.validationEngine.clone();
    engine.initReport();
    validator.$data = validator.factory.clownface({ dataset: dataset(quads) });
    validator.nodeConformsToShape(focus, root, engine as never);
    return engine.getReport().results as unknown as readonly Result[];
  };
}
