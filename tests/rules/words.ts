/*
 * Words that this project does not use, each with what to write in its place, and where it is looked for:
 *
 *   prose: sentences of Markdown and the texts of messages, without code and without what stands in backquotes
 *   name:  words of exported identifiers, such as `told` in `toldOf`
 *
 * A word that also has a standard meaning is looked for in its other meaning only: nginx is behind Varnish, but a reader
 * catches up.
 */

export interface Word {
  readonly pattern: RegExp;
  readonly instead: string;
}

const prose = (pattern: string, instead: string): Word => ({
  pattern: new RegExp(`\\b(?:${pattern})\\b`, 'i'),
  instead,
});

export const PROSE: readonly Word[] = [
  prose('shelf|shelves|shelved|kept documents?', 'disk cache, cached document'),
  prose('turnstiles?', 'semaphore, mutex'),
  prose('pumps?', 'fan-out'),
  prose('wires?', 'transfer encoding, socket'),
  prose('narrow(?:s|ed|ing|er)?|concern(?:ed|s)', 'filter, match'),
  prose(
    '(?:is|are|was|were|be|far|falls?|fell|much|one|stays?) behind(?! (?:an?|the|nginx|Varnish|TLS))',
    'catches up',
  ),
  prose('(?:bring|brings|brought) up', 'catch up'),
  prose('turn(?:s|ed)? away|(?:no|a) place for|refused crowd', 'all slots are taken, reject'),
  prose('tails?', 'delta page, changes since'),
  prose('famil(?:y|ies)', 'cache group'),
  prose('books?|ledgers?|tall(?:y|ies)', 'state, tracker, counters'),
  prose('standstill|pauses?', 'write lock'),
  prose('emptied|gone', 'purged, 410, erased'),
  prose('beside', 'next to, with; auxiliary documents'),
  prose('held back|(?:posts?|members?|records?|queries) (?:is|are|was|were|be) taken', 'rejected, accepted'),
  prose('waiting ends|absent since', 'delete grace period'),
  prose('left out|telling|said', 'ignored, has content, last seen'),
  prose('doubts?|vain', 'suspicion, failed probes'),
  prose('held against|struck', 'circuit breaker'),
  prose('crowd(?:s|ed)?|troubles?|can mend', 'no free connection, error state, is retryable'),
  prose('bells?|rings?|rung|heard', 'condition, notify, wait'),
  prose('holes?|reconsiders?', 'sequence gap, re-evaluate'),
  prose('rhythms?|usual intervals?', 'update interval estimate'),
  prose('middle', 'median'),
  prose('soonest|foretold|borne|withheld', 'min, projected, sustained, steal time'),
  prose('mend(?:s|ed|ing)?', 'fix, patch, workaround'),
  prose('told|tells?', 'says, reports, notifies, names, logs'),
  prose('pass(?:es|ed|ing)? on|owner link|carried errors?', 'proxy, forward, leader link, serialized error'),
  prose('reckon(?:s|ed|ing)?', 'compute'),
  prose(
    '(?<!\\bthere )(?:is|are|was|were) (?:no|none)(?! (?:longer|more|later|earlier|larger|smaller|other))',
    '"is not a", "unknown", "there is not"',
  ),
  prose('whom', 'name them: clients, readers, the server'),
];

/** A sentence that begins with "Who" and asks nothing has no subject that a reader can name. */
export const WHO: Word = { pattern: /^Who\b(?!.*\?$)/, instead: 'name them: clients, readers, the server' };

export const NAMES: readonly Word[] = [
  { pattern: /^(?:say|tell)[A-Z]/, instead: 'add..., report..., emit..., log...' },
  { pattern: /(?:Edge|Parts|Circumstances)$/, instead: '...Environment, ...Options' },
  {
    pattern:
      /\b(?:shelf|shelved|turnstile|pump|narrow(?:ed|ing)?|concerned|family|ledger|tally|standstill|emptied|departing|doubt|crowd(?:ed)?|trouble|bell|heard|hole|rhythm|soonest|longest|least|most|foretold|borne|withheld|mend(?:ing|ed)?|told|tell|reckon(?:ed|ing)?|beside|whom|whose|who|struck|tail|said)\b/i,
    instead: 'the word of the field: see PROSE',
  },
];
