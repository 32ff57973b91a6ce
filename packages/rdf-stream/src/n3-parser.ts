// What reads Turtle: a module of its own, so that a page of a browser loads it when it meets such a text, and not before.
export { Parser } from 'n3';
