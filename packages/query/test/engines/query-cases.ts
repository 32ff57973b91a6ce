/** A query over the sample world: the rows that it has, in any order unless `isOrdered`. */
export interface QueryCase {
  readonly about: string;
  readonly query: string;
  readonly rows: readonly string[];
  readonly isOrdered?: boolean;
}

/** What every engine has to answer alike, and the W3C's tests do not ask: most of it stock Comunica answers wrongly. */
export const queryCases: readonly QueryCase[] = [
  {
    about: 'a FILTER about a variable that only one branch of a UNION has',
    query: 'SELECT * { { ?v a ex:Tram } UNION { ?v ex:line ?l } FILTER(?l = ex:l1) }',
    rows: ['l=l1 v=bus1', 'l=l1 v=bus2'],
  },
  {
    about: 'a FILTER about a variable that nothing binds',
    query: 'SELECT * { ?v a ex:Tram . ?w a ex:Bus FILTER(?x = "late") }',
    rows: [],
  },
  {
    about: 'a FILTER about the end of a path in a named graph',
    query: 'SELECT * { GRAPH ex:g2 { ?v (ex:load|ex:none)/^ex:load ?w FILTER(?w = ex:bus2) } }',
    rows: ['v=bus2 w=bus2'],
  },
  {
    about: 'aggregates over nothing, joined',
    query: 'SELECT * { ?v a ex:Tram { SELECT (COUNT(*) AS ?n) { ?w ex:none ?x } } }',
    rows: ['n=0 v=tram1'],
  },
  {
    about: 'MINUS of a UNION that nothing matches',
    query: 'SELECT ?v { ?v a ex:Tram MINUS { { ?v ex:none ?x } UNION { ?v ex:gone ?x } } }',
    rows: ['v=tram1'],
  },
  {
    about: 'NOT EXISTS of an alternative that nothing matches',
    query: 'SELECT ?v { ?v a ex:Tram FILTER NOT EXISTS { ?v ex:none|ex:gone ?x } }',
    rows: ['v=tram1'],
  },
  {
    about: 'EXISTS of an alternative that nothing matches, or else',
    query: 'SELECT ?v { ?v a ex:Tram FILTER(EXISTS { ?v ex:none|ex:gone ?x } || BOUND(?v)) }',
    rows: ['v=tram1'],
  },
  {
    about: 'COUNT over an alternative that nothing matches, in a subquery',
    query: 'SELECT * { ?v a ex:Tram { SELECT (COUNT(*) AS ?n) { ?w ex:none|ex:gone ?x } } }',
    rows: ['n=0 v=tram1'],
  },
  { about: 'groups of nothing', query: 'SELECT ?v (COUNT(*) AS ?n) { ?v a ex:Ship } GROUP BY ?v', rows: [] },
  {
    about: 'a BIND that fails, joined',
    query: 'SELECT ?v ?d { { ?v a ex:Bus BIND(?v + 1 AS ?d) } { ?w ex:line ?l ; ex:delay ?d } }',
    rows: ['bus1', 'bus2', 'bus3'].flatMap((v) => [60, 120, 30].map((d) => `d=${d} v=${v}`)),
  },
  {
    about: 'groups by what has no value, joined',
    query:
      'SELECT ?v ?d { { SELECT ?v ?d { ?v a ex:Bus OPTIONAL { ?v ex:none ?d } } GROUP BY ?v ?d } { ?w ex:line ?l ; ex:delay ?d } }',
    rows: ['bus1', 'bus2', 'bus3'].flatMap((v) => [60, 120, 30].map((d) => `d=${d} v=${v}`)),
  },
  {
    about: 'groups and aggregates without a value, joined',
    query:
      'SELECT * { ?v ex:delay ?d { SELECT ?d (MAX(?x) AS ?v) (COUNT(*) AS ?n) { ?w a ex:Tram OPTIONAL { ?w ex:none ?d, ?x } } GROUP BY ?d } }',
    rows: ['d=60 n=1 v=bus1', 'd=120 n=1 v=bus2', 'd=30 n=1 v=tram1'],
  },
  {
    about: 'OPTIONAL whose solutions have a value for a variable or have not',
    query:
      'SELECT * { ?v a ?t ; ex:delay ?d OPTIONAL { ?w ex:line ex:l1 OPTIONAL { ?w ex:delay ?d FILTER(?d = 60) } } FILTER(?t = ex:Tram) }',
    rows: ['d=30 t=Tram v=tram1 w=bus2'],
  },
  {
    about: 'any named graph',
    query: 'SELECT * { GRAPH ?g { ?v ex:load ?n } }',
    rows: ['g=g1 n=5 v=bus1', 'g=g2 n=7 v=bus2', 'g=g2 n=6 v=bus1'],
  },
  { about: 'the default graph, which holds no other', query: 'SELECT * { ?v ex:load ?n }', rows: [] },
  {
    about: 'blank nodes, by their labels',
    query: 'SELECT * { ?n ex:about ?v ; ex:says ?w }',
    rows: ['n=_:m1b0 v=bus1 w="late"', 'n=_:m2b0 v=_:m1b0 w="really"'],
  },
  {
    about: 'blank nodes that BIND passes on',
    query: 'SELECT ?v { _:any ex:says "really" ; ex:about ?n BIND(?n AS ?m) ?m ex:about ?v }',
    rows: ['v=bus1'],
  },
  {
    about: 'blank nodes that an aggregate passes on',
    query: 'SELECT ?w { { SELECT (SAMPLE(?n) AS ?m) { ?n ex:about ex:bus1 } } ?m ex:says ?w }',
    rows: ['w="late"'],
  },
  {
    about: 'a path of one or more that comes back',
    query: 'SELECT ?l { ?l ex:next+ ?l }',
    rows: ['l=l1', 'l=l2', 'l=l3'],
  },
  {
    about: 'paths that come back, joined',
    query: 'SELECT ?v ?l { ?v ex:line ?l . ?l (ex:next|ex:none)+ ?l . ?l ex:next* ?l . ?l ex:none? ?l . ?v a ex:Tram }',
    rows: ['l=l2 v=tram1'],
  },
  {
    about: 'DISTINCT ends of quads that have one variable twice',
    query: 'SELECT DISTINCT ?l ?m { ?l ex:next ?l ; ex:next ?m }',
    rows: [],
  },
  { about: 'DISTINCT ends of a quad that has one variable twice', query: 'SELECT DISTINCT ?l { ?l ?p ?l }', rows: [] },
  {
    about: 'OPTIONAL of DISTINCT ends of a quad',
    query: 'SELECT * { VALUES ?z { ex:l1 ex:bus1 } OPTIONAL { SELECT DISTINCT ?z { ?z ex:next ?v } } }',
    rows: ['z=bus1', 'z=l1'],
  },
  {
    about: 'a sequence of one or more, of which some have no solution',
    query: 'SELECT * { ?v (ex:line/ex:next)+ ?l }',
    rows: ['l=l2 v=bus1', 'l=l2 v=bus2', 'l=l3 v=bus3', 'l=l3 v=tram1'],
  },
  {
    about: 'a sequence of any length, of which some have no solution',
    query: 'SELECT * { ?v (ex:line/ex:next)* ?l FILTER(?v != ?l) }',
    rows: ['l=l2 v=bus1', 'l=l2 v=bus2', 'l=l3 v=bus3', 'l=l3 v=tram1'],
  },
  {
    about: 'two sequences, the one before and the other after a subquery',
    query: 'SELECT * { ?v ex:line/ex:next ?l { SELECT ?v { ?v a ex:Tram } } ?l ex:next/ex:next ?m }',
    rows: ['l=l3 m=l2 v=tram1'],
  },
  {
    about: 'EXISTS of a path that ends before it is listened to',
    query: 'SELECT ?v { ?v ex:line ?l FILTER EXISTS { ex:l2 ex:next? ?l } }',
    rows: ['v=bus3', 'v=tram1'],
  },
  {
    about: 'a path of one or more in any graph, which does not begin with its end',
    query: 'SELECT * { GRAPH ?g { ex:bus1 ex:load+ ?n } }',
    rows: ['g=g1 n=5', 'g=g2 n=6'],
  },
  {
    about: 'a sequence of any length in any graph',
    query: 'SELECT * { GRAPH ?g { ex:bus1 (ex:load/ex:none)* ?v } }',
    rows: ['g=g1 v=bus1', 'g=g2 v=bus1'],
  },
  {
    about: 'a negated property set that is joined, whatever the variables are called',
    query: 'SELECT * { ?b ex:line ?a . ?a !ex:line ?c }',
    rows: ['a=l1 b=bus1 c=l2', 'a=l1 b=bus2 c=l2', 'a=l2 b=bus3 c=l3', 'a=l2 b=tram1 c=l3'],
  },
  {
    about: 'a negated property set of inverses, joined',
    query: 'SELECT * { ?b a ex:Tram ; ex:line ?a . ?a !(^ex:next|^ex:about) ?c }',
    rows: ['a=l2 b=tram1 c=bus3', 'a=l2 b=tram1 c=tram1'],
  },
  {
    about: 'a negated property set of both ways, which follows each of them as often as it can',
    query: 'SELECT ?a { ?b a ex:Tram ; ex:line ?a . ?a !(ex:line|^ex:line) ?c }',
    rows: ['a=l2', 'a=l2'],
  },
  {
    about: 'a negated property set with one solution for each quad',
    query: 'SELECT ?b { ?b a ex:Tram . ?b !ex:delay ?c }',
    rows: ['b=tram1', 'b=tram1'],
  },
  {
    about: 'negated property sets in a sequence and in an alternative',
    query: 'SELECT ?b ?a { ?b a ex:Tram ; (!a/!ex:line)|(!ex:line/ex:none) ?a }',
    rows: ['a=l3 b=tram1'],
  },
  {
    about: 'a negated property set in any graph',
    query: 'SELECT * { GRAPH ?b { ?a !ex:none ?c } }',
    rows: ['a=bus1 b=g1 c=5', 'a=bus2 b=g2 c=7', 'a=bus1 b=g2 c=6'],
  },
  {
    about: 'a negated property set in MINUS and in OPTIONAL',
    query: 'SELECT * { ?b ex:delay ?d MINUS { ?b !(a|ex:line|ex:delay) ?x } OPTIONAL { ?a !ex:line ?b } }',
    rows: ['b=bus2 d=120', 'b=tram1 d=30'],
  },
  {
    about: 'COUNT and DISTINCT over a negated property set',
    query: 'SELECT ?b (COUNT(*) AS ?n) (COUNT(DISTINCT *) AS ?m) { ?b a ex:Tram ; !a ?c } GROUP BY ?b',
    rows: ['b=tram1 m=2 n=2'],
  },
];

/** How strings compare. */
export const stringCases: readonly QueryCase[] = [
  {
    about: 'strings compared by code point',
    query:
      'SELECT ?a { VALUES (?a ?b) { ("B" "a") ("a" "B") ("a" "ab") ("\\uFFFD" "\\U0001F68B") ("a" "a") } FILTER(?a < ?b && ?b > ?a) }',
    rows: ['a="B"', 'a="a"', 'a="\uFFFD"'],
  },
  {
    about: 'strings ordered by code point',
    query: 'SELECT ?a { VALUES ?a { "é" "b" "\\U0001F68B" "B" "" "\\uFFFD" "a" } } ORDER BY ?a',
    rows: ['a=""', 'a="B"', 'a="a"', 'a="b"', 'a="é"', 'a="\uFFFD"', 'a="\u{1F68B}"'],
    isOrdered: true,
  },
  {
    about: 'MIN and MAX of strings by code point',
    query: 'SELECT (MIN(?a) AS ?x) (MAX(?a) AS ?z) { VALUES ?a { "b" "é" "B" "a" } }',
    rows: ['x="B" z="é"'],
  },
  {
    about: 'texts in a language ordered by code point',
    query: 'SELECT ?a { VALUES ?a { "\\U0001F68B"@en "a"@en "B"@en "\\uFFFD"@en } } ORDER BY ?a',
    rows: ['a="B"@en', 'a="a"@en', 'a="\uFFFD"@en', 'a="\u{1F68B}"@en'],
    isOrdered: true,
  },
];
