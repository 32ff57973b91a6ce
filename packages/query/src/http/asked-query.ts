import { errors } from '../errors.ts';

/** What a request of the SPARQL Protocol asks. */
export interface AskedQuery {
  readonly sparql: string;
  /** The maximum acceptable latency of a live query, seconds. */
  readonly mal: number;
}

/** The MAL of whoever names none, seconds. */
const DEFAULT_MAL = 1;

const QUERY_TYPE = 'application/sparql-query';
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The media types of the content of a post. */
export const POSTED_TYPES = [QUERY_TYPE, FORM_TYPE] as const;

const PARAMETERS = ['query', 'mal'];

/**
 * The query of a `GET`.
 *
 * @param url - path and query
 * @throws {@link StreamError} `ERR_SPARQL_REQUEST` - what is asked cannot be told
 * @see https://www.w3.org/TR/sparql11-protocol/#query-operation
 */
export function queryOfUrl(url: string): AskedQuery {
  return askedBy(parametersOf(url));
}

/**
 * The query of a `POST`.
 *
 * @param url - path and query
 * @param type - the value of `Content-Type`
 * @throws {@link StreamError} `ERR_SPARQL_TYPE` - another type
 * @throws {@link StreamError} `ERR_SPARQL_REQUEST` - what is asked cannot be told
 */
export function queryOfPost(url: string, type: string | undefined, content: string): AskedQuery {
  const parameters = parametersOf(url);
  const mediaType = type?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType === QUERY_TYPE) {
    if (parameters.has('query')) throw refused('it has a query in its content and another in its URL');
    parameters.append('query', content);
  } else if (mediaType === FORM_TYPE) {
    for (const [name, value] of new URLSearchParams(content)) parameters.append(name, value);
  } else throw errors.ERR_SPARQL_TYPE({ type: type ?? '', accepted: POSTED_TYPES });
  return askedBy(parameters);
}

function parametersOf(url: string): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
}

function askedBy(parameters: URLSearchParams): AskedQuery {
  for (const name of parameters.keys()) {
    if (!PARAMETERS.includes(name)) {
      throw refused(`it has the parameter ${name.slice(0, 80)}, and there are ${PARAMETERS.join(' and ')}`);
    }
    if (parameters.getAll(name).length > 1) throw refused(`it has the parameter ${name} more than once`);
  }
  const sparql = parameters.get('query');
  if (sparql === null) throw refused('the parameter query is missing, which holds the SPARQL');
  const mal = parameters.get('mal');
  return { sparql, mal: mal === null ? DEFAULT_MAL : secondsOf(mal) };
}

function secondsOf(value: string): number {
  const mal = /^\d{1,6}(\.\d{1,3})?$/.test(value) ? Number(value) : 0;
  if (mal > 0) return mal;
  throw errors.ERR_QUERY_OPTION({
    name: 'mal',
    value: value.slice(0, 80),
    expected: 'it is a number of seconds above 0, such as 2.5',
  });
}

function refused(problem: string) {
  return errors.ERR_SPARQL_REQUEST({ problem });
}
