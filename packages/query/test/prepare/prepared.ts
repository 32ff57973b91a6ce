import { type PreparedQuery, prepareQuery } from '../../src/prepare/prepared-query.ts';

/** The prefix of the terms of test data. */
export const E = 'http://example.org/';

/** Prepares a query in which `:` is the prefix of test data. */
export function prepared(sparql: string): Promise<PreparedQuery> {
  return prepareQuery(`PREFIX : <${E}> ${sparql}`, { limitQueryChars: 10_000 });
}

/** The code and the message of the error that preparing a query fails with. */
export async function refusal(sparql: string): Promise<{ code: string; message: string; details: unknown }> {
  try {
    await prepareQuery(sparql, { limitQueryChars: 1_000_000 });
  } catch (error) {
    const { code, message, details } = error as { code: string; message: string; details: unknown };
    return { code, message, details };
  }
  throw new Error(`not refused: ${sparql}`);
}
