/** A query over the sample world: the rows that it has, in any order unless `isOrdered`. */
export interface QueryCase {
  readonly about: string;
  readonly query: string;
  readonly rows: readonly string[];
  readonly isOrdered?: boolean;
}

/** What every engine has to answer alike. */
export const queryCases: readonly QueryCase[] = [
  { about: 'a pattern', query: 'SELECT * { ?v ex:delay ?d }', rows: ['d=60 v=bus1', 'd=120 v=bus2', 'd=30 v=tram1'] },
  {
    about: 'a join',
    query: 'SELECT * { ?v ex:line ?l . ?l ex:next ex:l3 }',
    rows: ['l=l2 v=bus3', 'l=l2 v=tram1'],
  },
  {
    about: 'duplicates, which are kept',
    query: 'SELECT ?l { ?v ex:line ?l }',
    rows: ['l=l1', 'l=l1', 'l=l2', 'l=l2'],
  },
  { about: 'DISTINCT', query: 'SELECT DISTINCT ?l { ?v ex:line ?l }', rows: ['l=l1', 'l=l2'] },
  {
    about: 'OPTIONAL, unbound variables absent',
    query: 'SELECT * { ?v a ex:Bus OPTIONAL { ?v ex:delay ?d } }',
    rows: ['d=60 v=bus1', 'd=120 v=bus2', 'v=bus3'],
  },
  {
    about: 'OPTIONAL with a FILTER of its own',
    query: 'SELECT * { ?v a ex:Bus OPTIONAL { ?v ex:delay ?d FILTER(?d > 60) } }',
    rows: ['v=bus1', 'd=120 v=bus2', 'v=bus3'],
  },
  { about: 'FILTER', query: 'SELECT ?v { ?v ex:delay ?d FILTER(?d >= 60) }', rows: ['v=bus1', 'v=bus2'] },
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
    about: 'UNION',
    query: 'SELECT * { { ?v a ex:Tram } UNION { ?v ex:delay ?d } }',
    rows: ['v=tram1', 'd=60 v=bus1', 'd=120 v=bus2', 'd=30 v=tram1'],
  },
  { about: 'MINUS', query: 'SELECT ?v { ?v a ex:Bus MINUS { ?v ex:delay ?d } }', rows: ['v=bus3'] },
  {
    about: 'MINUS that shares no variable',
    query: 'SELECT ?v { ?v a ex:Tram MINUS { ?x ex:delay ?d } }',
    rows: ['v=tram1'],
  },
  {
    about: 'NOT EXISTS',
    query: 'SELECT ?v { ?v a ex:Bus FILTER NOT EXISTS { ?v ex:delay ?d } }',
    rows: ['v=bus3'],
  },
  {
    about: 'MINUS of a UNION that nothing matches',
    query: 'SELECT ?v { ?v a ex:Tram MINUS { { ?v ex:none ?x } UNION { ?v ex:gone ?x } } }',
    rows: ['v=tram1'],
  },
  {
    about: 'MINUS of a UNION of which one branch matches',
    query: 'SELECT ?v { ?v a ex:Bus MINUS { { ?v ex:none ?x } UNION { ?v ex:delay ?x } } }',
    rows: ['v=bus3'],
  },
  {
    about: 'MINUS of an alternative that nothing matches',
    query: 'SELECT ?v { ?v a ex:Tram MINUS { ?v ex:none|ex:gone ?x } }',
    rows: ['v=tram1'],
  },
  {
    about: 'NOT EXISTS of a UNION that nothing matches',
    query: 'SELECT ?v { ?v a ex:Tram FILTER NOT EXISTS { { ?v ex:none ?x } UNION { ?v ex:gone ?x } } }',
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
    about: 'OPTIONAL of a UNION that nothing matches',
    query: 'SELECT * { ?v a ex:Tram OPTIONAL { { ?v ex:none ?x } UNION { ?v ex:gone ?x } } }',
    rows: ['v=tram1'],
  },
  {
    about: 'COUNT over a UNION that nothing matches',
    query: 'SELECT (COUNT(*) AS ?n) { { ?v ex:none ?x } UNION { ?v ex:gone ?x } }',
    rows: ['n=0'],
  },
  {
    about: 'COUNT over an alternative that nothing matches, in a subquery',
    query: 'SELECT * { ?v a ex:Tram { SELECT (COUNT(*) AS ?n) { ?w ex:none|ex:gone ?x } } }',
    rows: ['n=0 v=tram1'],
  },
  { about: 'a UNION that nothing matches', query: 'SELECT * { { ?v ex:none ?x } UNION { ?v ex:gone ?x } }', rows: [] },
  {
    about: 'EXISTS',
    query: 'SELECT ?l { ?l ex:next ?m FILTER EXISTS { ?v ex:line ?l ; a ex:Tram } }',
    rows: ['l=l2'],
  },
  {
    about: 'COUNT, SUM, MIN, MAX and AVG by group',
    query:
      'SELECT ?t (COUNT(?d) AS ?n) (SUM(?d) AS ?s) (MIN(?d) AS ?a) (MAX(?d) AS ?z) (AVG(?d) AS ?m) { ?v a ?t ; ex:delay ?d } GROUP BY ?t',
    rows: ['a=60 m=90 n=2 s=180 t=Bus z=120', 'a=30 m=30 n=1 s=30 t=Tram z=30'],
  },
  { about: 'COUNT of nothing', query: 'SELECT (COUNT(*) AS ?n) { ?v a ex:Ship }', rows: ['n=0'] },
  { about: 'groups of nothing', query: 'SELECT ?v (COUNT(*) AS ?n) { ?v a ex:Ship } GROUP BY ?v', rows: [] },
  { about: 'COUNT DISTINCT', query: 'SELECT (COUNT(DISTINCT ?l) AS ?n) { ?v ex:line ?l }', rows: ['n=2'] },
  {
    about: 'HAVING',
    query: 'SELECT ?l { ?v ex:line ?l ; ex:delay ?d } GROUP BY ?l HAVING(SUM(?d) > 100)',
    rows: ['l=l1'],
  },
  {
    about: 'GROUP_CONCAT',
    query: 'SELECT (GROUP_CONCAT(?n; SEPARATOR="+") AS ?g) { SELECT ?n { ex:bus1 ex:name ?n } ORDER BY LANG(?n) }',
    rows: ['g="Bus one+Bus een"'],
  },
  {
    about: 'a BIND that fails, joined',
    query: 'SELECT * { { ?v a ex:Tram BIND(?v + 1 AS ?d) } { ?w ex:delay ?d } }',
    rows: ['d=60 v=tram1 w=bus1', 'd=120 v=tram1 w=bus2', 'd=30 v=tram1 w=tram1'],
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
    about: 'a subquery',
    query: 'SELECT ?v ?d { { SELECT (MAX(?e) AS ?d) { ?w ex:delay ?e } } ?v ex:delay ?d }',
    rows: ['d=120 v=bus2'],
  },
  {
    about: 'VALUES with UNDEF',
    query: 'SELECT * { VALUES (?v ?d) { (ex:bus1 UNDEF) (UNDEF 30) (ex:bus2 1) } ?v ex:delay ?d }',
    rows: ['d=60 v=bus1', 'd=30 v=tram1'],
  },
  {
    about: 'BIND',
    query: 'SELECT ?v ?x { ?v ex:delay ?d BIND(?d / 2 + 1 AS ?x) }',
    rows: ['v=bus1 x=31', 'v=bus2 x=61', 'v=tram1 x=16'],
  },
  { about: 'a BIND that fails', query: 'SELECT * { ?v a ex:Tram BIND(?v + 1 AS ?x) }', rows: ['v=tram1'] },
  { about: 'a named graph', query: 'SELECT * { GRAPH ex:g1 { ?v ex:load ?n } }', rows: ['n=5 v=bus1'] },
  {
    about: 'any named graph',
    query: 'SELECT * { GRAPH ?g { ?v ex:load ?n } }',
    rows: ['g=g1 n=5 v=bus1', 'g=g2 n=7 v=bus2', 'g=g2 n=6 v=bus1'],
  },
  { about: 'the default graph, which holds no other', query: 'SELECT * { ?v ex:load ?n }', rows: [] },
  {
    about: 'FROM',
    query: 'SELECT * FROM ex:g1 FROM ex:g2 { ?v ex:load ?n }',
    rows: ['n=5 v=bus1', 'n=7 v=bus2', 'n=6 v=bus1'],
  },
  {
    about: 'FROM NAMED',
    query: 'SELECT * FROM NAMED ex:g1 { GRAPH ?g { ?v ex:load ?n } }',
    rows: ['g=g1 n=5 v=bus1'],
  },
  {
    about: 'ORDER BY',
    query: 'SELECT ?v { ?v ex:delay ?d } ORDER BY DESC(?d)',
    rows: ['v=bus2', 'v=bus1', 'v=tram1'],
    isOrdered: true,
  },
  {
    about: 'LIMIT and OFFSET',
    query: 'SELECT ?v { ?v ex:line ?l } ORDER BY ?v LIMIT 2 OFFSET 1',
    rows: ['v=bus2', 'v=bus3'],
    isOrdered: true,
  },
  {
    about: 'languages',
    query: 'SELECT ?n { ex:bus1 ex:name ?n FILTER(LANGMATCHES(LANG(?n), "nl")) }',
    rows: ['n="Bus een"@nl'],
  },
  {
    about: 'functions of text',
    query: 'SELECT (UCASE(STRAFTER(STR(?v), "org/")) AS ?u) { ?v a ex:Tram FILTER(REGEX(STR(?v), "tram[0-9]$")) }',
    rows: ['u="TRAM1"'],
  },
  {
    about: 'IF, COALESCE and IN',
    query: 'SELECT ?v (IF(?d IN (60, 120), "late", "ok") AS ?x) (COALESCE(?none, ?d) AS ?y) { ?v ex:delay ?d }',
    rows: ['v=bus1 x="late" y=60', 'v=bus2 x="late" y=120', 'v=tram1 x="ok" y=30'],
  },
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
    about: 'isBlank',
    query: 'SELECT ?n { ?n ex:about ?v FILTER(ISBLANK(?v)) }',
    rows: ['n=_:m2b0'],
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
