import { ASKED_PROPERTY, BASE, COUNTED, HIGH, SOSA } from './observations.ts';

/** Its solutions follow from one observation each: the high values of one property. */
export const LOCAL_QUERY = `PREFIX sosa: <${SOSA}>
SELECT ?o ?s ?v WHERE {
  ?o sosa:madeBySensor ?s ; sosa:observedProperty <${BASE}property/${ASKED_PROPERTY}> ; sosa:hasSimpleResult ?v
  FILTER(?v > ${HIGH})
}`;

/** Its solutions follow from all observations: mean and number of the values that count, for each property. */
export const WHOLE_QUERY = `PREFIX sosa: <${SOSA}>
SELECT ?p (AVG(?v) AS ?mean) (COUNT(?v) AS ?count) WHERE {
  ?o sosa:madeBySensor ?s ; sosa:observedProperty ?p ; sosa:hasSimpleResult ?v
  FILTER(?v > ${COUNTED})
} GROUP BY ?p`;
