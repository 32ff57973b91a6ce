// A rule is a heading, as specs/check.md has it, and a pure function of the evidence that gives `{ url, saw }` where it is
// broken. A combinator finds what the rule is about and adds the URL; the rule looks at each, and gives the text of what
// it saw, several texts, or nothing:
//
//   'CHK-51 warning: A mutable document has an ETag (LDES Server Primer, caching)': mutable(
//     ({ fields }) => fields.etag === undefined && 'no ETag',
//   )

import { type Evidence, mutableNodes, type Probe, readableNodes } from './evidence.ts';

/**
 * How much it matters that a rule is broken. `error`: a MUST of LDES, TREE or HTTP, or readers get wrong data.
 * `warning`: a SHOULD, or readers get data late or at more cost than need be. `advice`: it could be better.
 */
export type Severity = 'error' | 'warning' | 'advice';

/** Where a rule is broken, and what was seen there. */
export interface Observation {
  readonly url: string;
  readonly saw: string;
}

/** Finds where a rule is broken. */
type Check = (evidence: Evidence) => readonly Observation[];
export type Saw = string | false | undefined | readonly string[];

/** Rules by what they are called. */
export type Rules = Readonly<Record<`CHK-${number} ${Severity}: ${string} (${string})`, Check>>;

/** One rule of a check. */
export interface Rule {
  /** `CHK-` and a number that is never used again. */
  readonly id: `CHK-${number}`;
  readonly severity: Severity;
  /** What holds where the rule is kept. */
  readonly title: string;
  /** Where it comes from. */
  readonly source: string;
  readonly check: Check;
}

/** Rules with what their headings say, by number. */
export function rulesOf(rules: Rules): Rule[] {
  const all = Object.entries(rules).map(([heading, check]) => {
    const [, id, severity, title, source] = /^(\S+) (\w+): (.+) \(([^()]+)\)$/.exec(heading) as string[];
    return { id, severity, title, source, check } as Rule;
  });
  return all.sort((left, right) => Number(left.id.slice(4)) - Number(right.id.slice(4)));
}

/** Checks some subjects of the evidence, each with the URL where it is. */
export const on =
  <Subject extends { readonly url: string }>(subjectsOf: (evidence: Evidence) => readonly Subject[]) =>
  (look: (subject: Subject, evidence: Evidence) => Saw): Check =>
  (evidence) =>
    subjectsOf(evidence).flatMap((subject) =>
      [look(subject, evidence) || []].flat().map((saw) => ({ url: subject.url, saw })),
    );

/** The nodes that could be read. */
export const readable = on(readableNodes);
/** Of these, what may change. */
export const mutable = on(mutableNodes);
/** The root, with what it says of its stream. */
export const onRoot = on(({ stream, nodes: [root] }) => (stream && root ? [{ stream, root, url: root.url }] : []));
/** The probes of a kind, or all. */
export const onProbes = (wanted?: Probe['kind']) =>
  on(({ probes }) =>
    probes.filter(({ kind }) => kind === (wanted ?? kind)).map((probe) => ({ ...probe, url: probe.about.url })),
  );
