import { quad } from '@ldes-live/rdf-stream';
import type { NamedNode, Quad_Object, Quad_Subject } from '@rdfjs/types';
import { errors } from '../errors.ts';
import type { ConstructTemplate, LocalPlan, PreparedQuery } from '../prepared-query.ts';
import type { Pattern } from './algebra.ts';
import { findRoot } from './local-plan.ts';
import { type ParsedQuery, parseSparql } from './parse-sparql.ts';
import { type QueryForm, queryForm } from './query-form.ts';
import { hasDataset, isVolatile, serviceIn } from './query-functions.ts';
import { relevantQuads } from './relevant-quads.ts';
import { asSelect, variablesIn, withoutReduced, withVariable } from './select-text.ts';
import { loadSparqlLibrary, type SparqlLibrary } from './sparql-library.ts';
import { translateRspQl } from './translate-rsp-ql.ts';
import { variablesOf } from './walk-algebra.ts';

/** Options of {@link prepareQuery}. */
export interface PrepareOptions {
  /** Characters of the query's text, at most. */
  readonly limitQueryChars: number;
}

/**
 * Reads a query of SPARQL or RSP-QL, checks it and takes it apart. SERVICE is refused, whatever it asks.
 *
 * @throws {@link StreamError} `ERR_QUERY_TOO_LONG`, `ERR_QUERY_SYNTAX`, `ERR_QUERY_UPDATE`, `ERR_SERVICE_REFUSED`,
 *   `ERR_QUERY_UNSUPPORTED` - it names its data itself, by FROM
 * @see specs/query.md QUERY-10
 */
export async function prepareQuery(sparql: string, options: PrepareOptions): Promise<PreparedQuery> {
  const { limitQueryChars } = options;
  if (sparql.length > limitQueryChars) throw errors.ERR_QUERY_TOO_LONG({ chars: sparql.length, limitQueryChars });
  const library = await loadSparqlLibrary();
  try {
    return prepare(library, sparql);
  } catch (error) {
    // What can be parsed may still be too deep to be taken apart.
    if (!(error instanceof RangeError)) throw error;
    throw errors.ERR_QUERY_SYNTAX({ problem: 'it is nested too deeply' }, error);
  }
}

function prepare(library: SparqlLibrary, sparql: string): PreparedQuery {
  const { text: asked, windows, operator } = translateRspQl(library, sparql);
  const given = parseSparql(library, asked);
  // Each time, engines would otherwise tell a solution as often as they like: it would come and go for no reason.
  const text = withoutReduced(asked);
  const parsed = text === asked ? given : parseSparql(library, text);
  const service = serviceIn(parsed.algebra);
  if (service !== undefined) throw errors.ERR_SERVICE_REFUSED({ service });
  if (hasDataset(parsed.algebra)) {
    throw errors.ERR_QUERY_UNSUPPORTED({
      what: 'FROM or FROM NAMED',
      remedy: 'leave it out and ask the streams themselves; in a program, give other data by the option data',
    });
  }
  const form = queryForm(parsed.algebra);
  if (!form) throw errors.ERR_QUERY_UPDATE(undefined);
  const template = form.form === 'construct' ? templateOf(library, text, form) : undefined;
  const { matters, reason } = relevantQuads(parsed.algebra);
  return {
    form: form.form,
    query: parsed.query,
    variables: form.variables,
    isOrdered: form.isOrdered,
    isVolatile: isVolatile(parsed.algebra),
    windows,
    ...(operator && { operator }),
    matters,
    ...(reason && { mattersReason: reason }),
    local: localPlan(library, parsed, form, template),
    ...(template && { template }),
  };
}

function templateOf(library: SparqlLibrary, text: string, { template }: QueryForm): ConstructTemplate {
  const variables = variablesOf(template.flatMap(({ subject, predicate, object }) => [subject, predicate, object]));
  return {
    query: readOwn(library, asSelect(text, variables)).query,
    variables,
    quads: template.map(({ subject, predicate, object }: Pattern) =>
      quad(subject as Quad_Subject, predicate as NamedNode, object as Quad_Object),
    ),
  };
}

function localPlan(
  library: SparqlLibrary,
  { query, algebra }: ParsedQuery,
  form: QueryForm,
  template: ConstructTemplate | undefined,
): LocalPlan | { readonly reason: string } {
  if (isVolatile(algebra)) return { reason: 'its answer changes with time or by chance (NOW, RAND, UUID, STRUUID)' };
  const found = findRoot(form, variablesIn(query.text));
  if ('reason' in found) return found;
  const { root, patterns } = found;
  // DISTINCT stays where it is: with the root among the variables, it makes each root count an equal row once.
  const shared = { root, patterns, isDistinct: form.isDistinct };
  if (template) {
    const variables = [root, ...template.variables.filter((name) => name !== root)];
    return { query: readOwn(library, asSelect(query.text, variables)).query, ...shared };
  }
  if (form.variables.includes(root)) return { query, ...shared };
  return { query: readOwn(library, withVariable(query.text, root)).query, ...shared };
}

/** Reads a query that was made from the one given. */
function readOwn(library: SparqlLibrary, text: string): ParsedQuery {
  try {
    return parseSparql(library, text);
  } catch (error) {
    throw errors.ERR_QUERY_UNSUPPORTED(
      {
        what: 'variables that its pattern does not give',
        remedy: 'use those of GROUP BY only, or aggregate in a subquery',
      },
      error,
    );
  }
}
