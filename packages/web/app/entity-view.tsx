/*
 * All that a stream says of one entity: its properties with labels, its versions as a timeline, and the RDF as it is.
 */

import type { Member } from '@ldes-live/client';
import { prefixes, writeQuads } from '@ldes-live/rdf-stream';
import { dct, prov, rdf } from '@ldes-live/rdf-stream/vocabulary';
import type { Quad, Term } from '@rdfjs/types';
import { useEffect, useRef, useState } from 'preact/hooks';
import { catalog } from './catalog.ts';
import { factsOf, nodesOf, numericPaths, positionOf } from './entity.ts';
import { age, dateTime } from './format.ts';
import { isInstant, knownLabels, pathLabel, termLabel } from './labels.ts';
import { type LiveStream, readHistory } from './live-stream.ts';
import { baseUrl, type ViewName, viewHref } from './route.ts';

const LIMIT_VERSIONS = 100;
const LIMIT_DEPTH = 3;

interface EntityProperties {
  readonly stream: LiveStream;
  readonly iri: string;
  /** The view of all entities. */
  readonly back: ViewName;
}

export function EntityView({ stream, iri, back }: EntityProperties) {
  void stream.changed.value;
  const present = stream.entities.get(iri) ?? stream.leaving.get(iri)?.entity;
  // Once it has ended, its last state is shown on.
  const last = useRef(present);
  if (present) last.current = present;
  const entity = last.current;
  const versions = useVersions(stream, iri);
  if (!entity && versions.length === 0) {
    return (
      <p class="empty">
        {stream.firstState ? 'No such entity lives in this stream at the moment.' : 'The stream is being read…'}
      </p>
    );
  }
  const member = entity?.member ?? versions.find(({ kind }) => kind === 'upsert') ?? (versions[0] as Member);
  return (
    <article class="entity-view">
      <header>
        <h2>{entity?.label ?? termLabel({ termType: 'NamedNode', value: iri } as Term)}</h2>
        <p class="iri">
          {iri} {!stream.entities.has(iri) && <strong class="badge bad">ended</strong>}
        </p>
        <p>
          <a href={viewHref(back)}>Back to all</a>
          {entity && numericPaths({ entities: new Map([[iri, entity]]) }).length > 0 && (
            <a href={viewHref('chart', { iri })}>Chart its numbers</a>
          )}
        </p>
      </header>
      <Properties quads={member.quads} subjects={[member.id, member.entity]} />
      <section aria-labelledby="versions">
        <h3 id="versions">Versions</h3>
        <Timeline versions={versions} />
      </section>
      <Raw member={member} />
    </article>
  );
}

function Properties({
  quads,
  subjects,
  depth = 0,
}: {
  readonly quads: readonly Quad[];
  readonly subjects: readonly string[];
  readonly depth?: number;
}) {
  const nodes = nodesOf(quads);
  const byProperty = new Map<string, Term[]>();
  for (const { predicate, object } of subjects.flatMap((subject) => nodes.get(subject) ?? [])) {
    if (predicate.value === dct.isVersionOf) continue;
    byProperty.set(predicate.value, [...(byProperty.get(predicate.value) ?? []), object]);
  }
  return (
    <dl class="properties">
      {[...byProperty].map(([property, values]) => (
        <div key={property}>
          <dt title={property}>
            {property === rdf.type ? 'type' : property === prov.generatedAtTime ? 'published' : pathLabel(property)}
          </dt>
          <dd>
            {values.map((value, index) => (
              <Value
                key={index}
                value={value}
                quads={quads}
                isNested={depth < LIMIT_DEPTH && !subjects.includes(value.value) && nodes.has(value.value)}
                depth={depth}
              />
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({
  value,
  quads,
  isNested,
  depth,
}: {
  readonly value: Term;
  readonly quads: readonly Quad[];
  readonly isNested: boolean;
  readonly depth: number;
}) {
  if (isNested) return <Properties quads={quads} subjects={[value.value]} depth={depth + 1} />;
  if (value.termType !== 'NamedNode') return <span>{termLabel(value)}</span>;
  const href = hrefOf(value.value);
  return href === undefined ? (
    <span title={value.value}>{termLabel(value)}</span>
  ) : (
    <a href={href} title={value.value}>
      {termLabel(value)}
    </a>
  );
}

/** An entity of a stream here opens in the page. Words of vocabularies, and what is no document, lead nowhere of use. */
function hrefOf(iri: string): string | undefined {
  const [, name] = /\/([a-z0-9-]+)\/entities\//.exec(iri.startsWith(publicUrl()) ? iri : '') ?? [];
  if (name !== undefined) return knownLabels.has(iri) ? `${baseUrl}${name}${viewHref('entity', { iri })}` : undefined;
  const isWord = Object.values(prefixes).some((namespace) => iri.startsWith(namespace));
  return /^https?:\/\//.test(iri) && !isWord && !iri.startsWith(publicUrl()) ? iri : undefined;
}

function publicUrl(): string {
  const { value } = catalog;
  return value && !(value instanceof Error) ? value.publicUrl : baseUrl;
}

function Timeline({ versions }: { readonly versions: readonly Member[] }) {
  return (
    <ol class="timeline" tabIndex={0} aria-label="Versions, the newest first">
      {versions.map((version, index) => (
        <li key={version.id + version.sequence}>
          <time dateTime={version.time}>{dateTime(Date.parse(version.time))}</time>{' '}
          <small>{age(Date.now() - Date.parse(version.time))}</small>
          <p>{version.kind === 'delete' ? 'It ended.' : differences(version, versions[index + 1])}</p>
        </li>
      ))}
    </ol>
  );
}

function differences(version: Member, before: Member | undefined): string {
  if (!before || before.kind === 'delete') return 'The first version that the stream still has.';
  const [facts, former] = [factsOf(version), factsOf(before)];
  const text = (terms: readonly Term[] | undefined) => terms?.map(termLabel).join(', ') ?? 'nothing';
  const changed = [...facts].filter(
    ([path, terms]) => !terms.some(isInstant) && text(terms) !== text(former.get(path)),
  );
  if (changed.length === 0)
    return hasMoved(version, before) ? 'It moved.' : 'No change in the fields that are shown here.';
  return changed
    .slice(0, 5)
    .map(([path, terms]) => `${pathLabel(path)}: ${text(former.get(path))} → ${text(terms)}`)
    .join('; ');
}

function hasMoved(version: Member, before: Member): boolean {
  const [here, there] = [positionOf(version), positionOf(before)];
  return here?.longitude !== there?.longitude || here?.latitude !== there?.latitude;
}

/** Those of the last hour, the newest first, and each that comes. */
function useVersions(stream: LiveStream, iri: string): readonly Member[] {
  const [versions, setVersions] = useState<readonly Member[]>([]);
  const gaps = stream.gaps.value;
  useEffect(() => {
    const stop = new AbortController();
    // Sequences count from where a log begins: a gap may be another log.
    const known = new Map<number, Member>();
    setVersions([]);
    const add = (...members: readonly Member[]) => {
      for (const member of members) known.set(member.sequence, member);
      const newest = [...known.values()].sort((a, b) => b.sequence - a.sequence).slice(0, LIMIT_VERSIONS);
      for (const sequence of known.keys()) if (sequence < (newest.at(-1) as Member).sequence) known.delete(sequence);
      setVersions(newest);
    };
    const read = async () => {
      const found: Member[] = [];
      for await (const member of readHistory(stream, { entity: iri, signal: stop.signal })) found.push(member);
      add(...found);
    };
    read().catch(() => {});
    const take = () => {
      const member = stream.entities.get(iri)?.member ?? stream.leaving.get(iri)?.end;
      if (member) add(member);
    };
    take();
    const stopListening = stream.onChanges((changed) => changed.has(iri) && take());
    return () => {
      stop.abort();
      stopListening();
    };
  }, [stream, iri, gaps]);
  return versions;
}

function Raw({ member }: { readonly member: Member }) {
  const [format, setFormat] = useState<'turtle' | 'jsonld'>('turtle');
  const text = writeQuads(member.quads, format, prefixes);
  return (
    <details class="raw">
      <summary>The RDF</summary>
      <p class="toolbar">
        {(['turtle', 'jsonld'] as const).map((each) => (
          <button type="button" key={each} aria-pressed={format === each} onClick={() => setFormat(each)}>
            {each === 'turtle' ? 'Turtle' : 'JSON-LD'}
          </button>
        ))}
      </p>
      <pre tabIndex={0}>{format === 'jsonld' ? JSON.stringify(JSON.parse(text), undefined, 2) : text}</pre>
    </details>
  );
}
