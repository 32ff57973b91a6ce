import { fc } from '@ldes-live/test-support/properties';
import { PREFIXES } from './stream-world.ts';

const some = (...parts: readonly string[]): fc.Arbitrary<string> =>
  fc.subarray([...parts], { minLength: 1 }).map((chosen) => chosen.join(' '));
const one = (...parts: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...parts);
const maybe = (part: fc.Arbitrary<string>): fc.Arbitrary<string> => fc.oneof(part, fc.constant(''));
const k = fc.integer({ min: 1, max: 8 }).map(String);

/** A text with its places filled in, each by a part. */
function text(strings: TemplateStringsArray, ...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc
    .tuple(...parts)
    .map((chosen) => strings.reduce((whole, next, index) => whole + (chosen[index - 1] ?? '') + next))
    .map((whole) => `${PREFIXES} ${whole}`.replace(/\s+/g, ' '));
}
const part: typeof text = (strings, ...parts) =>
  text(strings, ...parts).map((whole) => whole.slice(PREFIXES.length + 1));

const vehicle = some(
  '?v ex:line ?l .',
  '?v ex:delay ?d .',
  '?v ex:label ?t .',
  '?v ex:at ?b . ?b ex:zone ?z .',
  '?v ex:of ?e .',
);
const star = part`${maybe(one('?v a ex:Vehicle .'))} ${vehicle}`;
const line = one(
  '?v ex:line ?l . ?l ex:name ?n .',
  '?v ex:line ?l . ?l ex:operator ?o .',
  '?v ex:line ?l . ?l ex:operator ?o . ?o ex:country ?c .',
  '?v ex:line ?l . ?l ex:connects ?m . ?m ex:name ?n .',
);
const zone = one('?v ex:at ?b . ?b ex:zone ?z . ?g ex:zone ?z .', '?v ex:line ?l . ?g ex:line ?l ; a ex:Garage .');
const rest = one('?v ex:delay ?d .', '?v ex:label ?t .', '?v ex:at ?b . ?b ex:x ?x .', '?l ex:name ?n .');
const shown = one('*', '?v', '?v ?d', '?l ?d', '?d', '?n ?d ?v');
const withDelay = part`?v ex:line ?l ; ex:delay ?d . ${maybe(one('?v a ex:Vehicle .', '?v ex:at ?b .', '?l ex:name ?n .'))}`;
const condition = fc.oneof(
  part`?d > ${k}`,
  part`?d IN (${k}, ${k}, 0)`,
  part`?d > ${k} && ?d < 8`,
  part`?d < ${k} || ?l = <urn:line:1>`,
  part`?d + ${k} != 9`,
  part`!bound(?n) || ?n = "L1"`,
  part`regex(str(?l), "[0${k}]$")`,
  part`if(bound(?n), ?d > ${k}, true)`,
);
const rare = one('?v ex:gone ?x', '?v ex:label "none"', '?v ex:delay 12', '?v ex:label ?x FILTER(lang(?x) = "fr")');
const negated = one('!ex:name', '!(a|ex:connects)', '!(a|ex:name|ex:operator)', '!(a|ex:name|ex:operator|ex:connects)');
const group = one('?l', '?d', '?l ?d', '(str(?l) AS ?key)');
const aggregates = one(
  '(COUNT(*) AS ?n)',
  '(SUM(?d) AS ?n) (COUNT(?d) AS ?m)',
  '(AVG(?d) AS ?n)',
  '(MIN(?d) AS ?n) (MAX(?d) AS ?m)',
  '(COUNT(DISTINCT ?d) AS ?n)',
);

/** Kinds of queries over the world of `stream-world.ts`, by name. */
export const queryFamilies: Readonly<Record<string, fc.Arbitrary<string>>> = {
  patterns: fc.oneof(
    text`SELECT ${shown} { ${star} }`,
    text`SELECT ${shown} { ${star} ${line} }`,
    text`SELECT ${shown} { ${star} ${zone} }`,
    text`SELECT * { ?v ${one('?p', 'ex:line', 'ex:delay')} ?w . ${maybe(one('?v a ex:Vehicle .', '?w ex:name ?n .'))} }`,
  ),
  optional: fc.oneof(
    text`SELECT * { ?v a ex:Vehicle . OPTIONAL { ${vehicle} } }`,
    text`SELECT * { ?v ex:line ?l . OPTIONAL { ${rest} } OPTIONAL { ?l ex:operator ?o . OPTIONAL { ?o ex:country ?c } } }`,
    text`SELECT ${shown} { ${star} OPTIONAL { ${line} } }`,
    text`SELECT * { ?v a ex:Vehicle OPTIONAL { ?v ex:delay ?d FILTER(?d > ${k}) } }`,
  ),
  filter: fc.oneof(
    text`SELECT ${shown} { ${withDelay} OPTIONAL { ?l ex:name ?n } FILTER(${condition}) }`,
    text`SELECT * { ?v ex:label ?t ; ex:line ?l FILTER(lang(?t) = "${one('en', 'nl')}" && strlen(?t) > 1) }`,
    text`SELECT ${one('*', '?e ?t')} { ?v ex:of ?e ; ex:label ?t ; ex:delay ?d FILTER(?d ${one('>', '<=', '!=')} ${k}) }`,
  ),
  union: fc.oneof(
    text`SELECT * { { ${star} } UNION { ${line} } }`,
    text`SELECT ?v ?q { ?v a ex:Vehicle . { ?v ex:delay ?q } UNION { ?v ex:label ?q } UNION { ?v ex:at/ex:x ?q } }`,
    text`SELECT ${one('*', '?w')} { { ?w ex:name ?n } UNION { ?w ex:room ?n FILTER(?n > ${k}) } }`,
  ),
  minus: fc.oneof(
    text`SELECT * { ${withDelay} MINUS { ?v ex:label ?t } }`,
    text`SELECT * { ?v a ex:Vehicle ; ex:line ?l MINUS { ?l ex:operator ?o . ?o ex:country "${one('BE', 'NL')}" } }`,
    text`SELECT ?v { ?v a ex:Vehicle MINUS { ?v ex:delay ?d FILTER(?d < ${k}) } }`,
    text`SELECT * { ?v ex:line ?l MINUS { ?x ex:name ?y } }`,
  ),
  exists: fc.oneof(
    text`SELECT * { ${withDelay} FILTER ${one('NOT EXISTS', 'EXISTS')} { ?v ex:label ?t } }`,
    text`SELECT * { ?v a ex:Vehicle ; ex:line ?l FILTER ${one('NOT EXISTS', 'EXISTS')} { ?l ex:connects ?m . ?m ex:name ?n } }`,
    text`SELECT ?v { ?v ex:delay ?d FILTER NOT EXISTS { ?w ex:delay ?f FILTER(?f > ?d) } }`,
    text`SELECT * { ?l a ex:Line FILTER ${one('NOT EXISTS', 'EXISTS')} { ?v ex:line ?l ; ex:delay ?d FILTER(?d > ${k}) } }`,
  ),
  // Often or always nothing fits the branches of a UNION or of a path.
  emptied: fc.oneof(
    text`SELECT * { ${withDelay} MINUS { { ?v ex:none ?x } UNION { ${rare} } } }`,
    text`SELECT * { ${withDelay} FILTER NOT EXISTS { { ${rare} } UNION { ${rare} } } }`,
    text`SELECT * { ${withDelay} FILTER NOT EXISTS { ?v ex:none|${one('ex:gone', 'ex:label')} ?x } }`,
    text`SELECT ?l (COUNT(?v) AS ?n) { ?v ex:line ?l MINUS { ?v ex:none|ex:gone ?x } } GROUP BY ?l`,
    text`SELECT ${one('(COUNT(*) AS ?n)', '*')} { { ?v ex:none ?x } UNION { ?g ex:room ?n FILTER(?n = ${k}) } }`,
    text`SELECT * { ?l a ex:Line { SELECT (COUNT(*) AS ?n) { ${one('?g ex:none', '?g ex:none|ex:gone')} ?m } } }`,
    text`SELECT * { ?v ex:line ?l { ?v ex:delay ?d } UNION { ?v ex:label ?t } FILTER(${one('?d = 3', '?t = "none"', '?l = <urn:line:1>')}) }`,
  ),
  negated: fc.oneof(
    text`SELECT ${one('*', '?b')} { ?b ex:line ?a . ?a ${negated} ?c }`,
    text`SELECT ${one('*', '?b')} { ?a ${negated} ?b . ${maybe(one('?b ex:name ?n .', '?a ex:line ?l .'))} }`,
    text`SELECT ?b (COUNT(*) AS ?n) { ?b ex:line ?a . ?a ${negated} ?c } GROUP BY ?b`,
    text`SELECT DISTINCT ${one('?c', '?b')} { ?b ex:line/${negated} ?c . ${maybe(one('?b ex:delay ?d'))} }`,
    text`SELECT * { ?b ex:line ?a ${one('MINUS', 'OPTIONAL', 'FILTER NOT EXISTS')} { ?a ${negated} ?c } }`,
    text`SELECT ?a { ?a a ex:Line . ?b ${one('!(^ex:connects)', '!(^ex:line|^ex:connects)')} ?a }`,
  ),
  reduced: fc.oneof(
    text`SELECT REDUCED ${one('?d', '?l ?d', '?t', '?t ?d')} { ?v ex:line ?l ; ex:delay ?d OPTIONAL { ?v ex:label ?t } }`,
    text`SELECT REDUCED ?o { ?v ?p ?o ${maybe(one('. ?v a ex:Vehicle'))} }`,
    text`SELECT * { { SELECT REDUCED ${one('?l', '?l ?d')} { ?v ex:line ?l ; ex:delay ?d } } ?l ex:name ?n }`,
    text`SELECT (COUNT(*) AS ?n) { { SELECT REDUCED ?t { ?v ex:label ?t } } }`,
  ),
  aggregates: fc.oneof(
    text`SELECT ?l ${aggregates} { ${withDelay} } GROUP BY ?l`,
    text`SELECT ${aggregates} { ${withDelay} }`,
    text`SELECT ${aggregates} { ?v ex:line ?l OPTIONAL { ?v ex:delay ?d } FILTER(bound(?d)) } GROUP BY ${group}`,
    text`SELECT ?l (COUNT(?v) AS ?n) { ?v ex:line ?l } GROUP BY ?l HAVING (COUNT(?v) > ${one('1', '2', '3')})`,
    text`SELECT ?v (COUNT(?d) AS ?n) (MAX(?d) AS ?m) { ?v a ex:Vehicle OPTIONAL { ?v ex:delay ?d } } GROUP BY ?v`,
  ),
  paths: fc.oneof(
    text`SELECT * { ?v ex:line/${one('ex:name', 'ex:connects', 'ex:operator/ex:country', 'ex:connects+')} ?n }`,
    text`SELECT * { ?l a ex:Line . ?l ex:connects${one('+', '*', '?', '/ex:connects')} ?m }`,
    text`SELECT * { ?v ${one('ex:delay|ex:label', '^ex:line', 'ex:at/ex:zone', '!(ex:line|ex:delay)', '(ex:line/ex:connects*)')} ?w }`,
    text`SELECT ?m { <urn:line:${one('0', '1')}> ex:connects${one('+', '*')} ?m }`,
  ),
  subqueries: fc.oneof(
    text`SELECT * { ?v ex:line ?l . { SELECT ?l ${aggregates} { ?w ex:line ?l ; ex:delay ?d } GROUP BY ?l } }`,
    text`SELECT * { { SELECT (MAX(?f) AS ?d) { ?w ex:delay ?f } } ?v ex:delay ?d }`,
    text`SELECT * { { SELECT DISTINCT ?l { ?v ex:line ?l ; ex:delay ?d FILTER(?d > ${k}) } } ?l ex:name ?n }`,
    text`SELECT * { { SELECT ?v ?d { ?v ex:delay ?d } ORDER BY DESC(?d) ?v LIMIT ${k} } OPTIONAL { ?v ex:label ?t } }`,
  ),
  values: fc.oneof(
    text`SELECT * { VALUES ?l { <urn:line:0> <urn:line:${k}> } ${withDelay} }`,
    text`SELECT * { ${withDelay} BIND(?d * ${k} AS ?y) } VALUES (?l ?d) { (<urn:line:1> UNDEF) (UNDEF ${k}) }`,
    text`SELECT ?v ?y { ?v ex:delay ?d ; ex:of ?e BIND(CONCAT(STR(?e), "-", STR(?d)) AS ?y) FILTER(?d < ${k}) }`,
    text`SELECT * { ?v ex:delay ?d VALUES ?d { 0 ${k} ${k} } }`,
  ),
  distinct: fc.oneof(
    text`SELECT DISTINCT ${one('?d', '?l', '?l ?d', '?d ?t', '?z')} { ?v ex:line ?l ; ex:delay ?d OPTIONAL { ?v ex:label ?t } OPTIONAL { ?v ex:at/ex:zone ?z } }`,
    text`SELECT DISTINCT ?n { ?v a ex:Vehicle ; ex:line ?l . ?l ex:name ?n ${maybe(part`FILTER(?n != "L${one('0', '1')}")`)} }`,
    text`SELECT DISTINCT ${one('?p', '?o', '?p ?o')} { ?v ?p ?o ${maybe(one('. ?v a ex:Vehicle', '. ?v ex:room ?r'))} }`,
  ),
  construct: fc.oneof(
    text`CONSTRUCT { ?e ex:late ?d . ?l ex:has ?e } { ?v ex:of ?e ; ex:line ?l OPTIONAL { ?v ex:delay ?d } }`,
    text`CONSTRUCT { [] ex:of ?l ; ex:n ?d } { ?v ex:line ?l ; ex:delay ?d FILTER(?d < ${k}) }`,
    text`CONSTRUCT { _:x ex:of ?l . ?l ex:has _:x } { ?v a ex:Vehicle ; ex:line ?l }`,
    text`CONSTRUCT { ?d ex:p ?v . ?v ?t ?d . ?l ex:label ?t } { ?v ex:line ?l OPTIONAL { ?v ex:delay ?d } OPTIONAL { ?v ex:label ?t } }`,
    text`CONSTRUCT WHERE { ${star} }`,
    text`CONSTRUCT { ?l ex:n ?n } { { SELECT ?l (COUNT(*) AS ?n) { ?v ex:line ?l } GROUP BY ?l } }`,
  ),
  ask: fc.oneof(
    text`ASK { ?v ex:delay ?d FILTER(?d > ${k}) . ?v ex:line <urn:line:${one('0', '1', '2')}> }`,
    text`ASK { ${star} ${line} FILTER NOT EXISTS { ?g ex:room ${k} } }`,
    text`ASK { ?g ex:room ${k} }`,
  ),
  ordered: fc.oneof(
    text`SELECT ?v ?d { ?v ex:delay ?d } ORDER BY ${one('?d', 'DESC(?d)')} ?v ${maybe(part`LIMIT ${k}`)} ${maybe(part`OFFSET ${k}`)}`,
    text`SELECT ?l (COUNT(*) AS ?n) { ?v ex:line ?l } GROUP BY ?l ORDER BY DESC(?n) ?l ${maybe(one('LIMIT 2'))}`,
    text`SELECT ?n ?v { ?v a ex:Vehicle OPTIONAL { ?v ex:line/ex:name ?n } } ORDER BY ?n ?v`,
  ),
  describe: fc.oneof(
    text`DESCRIBE ${one('?v', '?l', '?v ?l')} { ?v ex:line ?l ; ex:delay ?d FILTER(?d > ${k}) }`,
    text`DESCRIBE <urn:line:${one('0', '1')}> ${maybe(one('<urn:garage:0>'))}`,
  ),
};
