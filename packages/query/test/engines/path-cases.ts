import type { QueryCase } from './query-cases.ts';

/** Paths over the sample world, which every engine has to answer alike. */
export const pathCases: readonly QueryCase[] = [
  {
    about: 'a path of one or more',
    query: 'SELECT ?l { ex:l1 ex:next+ ?l }',
    rows: ['l=l1', 'l=l2', 'l=l3'],
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
  { about: 'a path of none or more', query: 'SELECT ?l { ex:l2 ex:next* ?l }', rows: ['l=l1', 'l=l2', 'l=l3'] },
  { about: 'a path of none or one', query: 'SELECT ?l { ex:l2 ex:next? ?l }', rows: ['l=l2', 'l=l3'] },
  {
    about: 'a sequence, an alternative and an inverse',
    query: 'SELECT * { ?v ex:line/ex:next ?l . ?l ^ex:next|ex:none ?m }',
    rows: ['l=l2 m=l1 v=bus1', 'l=l2 m=l1 v=bus2', 'l=l3 m=l2 v=bus3', 'l=l3 m=l2 v=tram1'],
  },
  {
    about: 'a negated property set',
    query: 'SELECT ?o { ex:tram1 !(a|ex:delay) ?o }',
    rows: ['o=l2'],
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
