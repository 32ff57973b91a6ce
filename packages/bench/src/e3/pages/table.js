import { ROW_FIELDS } from '/modules/e3/row.js';
import { followRows, showFigures } from './follow-rows.js';

const SHOWN = 20;
const NUMBERS = new Set(['n', 't', 'value', 'low', 'high', 'lat', 'long', 'charge']);
const DIGITS = { value: 2, low: 2, high: 2, lat: 4, long: 4 };

const kept = [];

document.querySelector('#head').append(...ROW_FIELDS.map((field) => cell('th', field, field)));
const cells = Array.from({ length: SHOWN }, () => {
  const row = document.createElement('tr');
  const made = ROW_FIELDS.map((field) => cell('td', field, ''));
  row.append(...made);
  document.querySelector('#rows').append(row);
  return made;
});

followRows(
  (rows) => {
    for (const row of rows) kept.push(row);
  },
  (counts) => {
    showFigures(counts);
    cells.forEach((made, index) => {
      const row = kept[kept.length - 1 - index];
      made.forEach((one, field) => {
        one.textContent = row ? text(ROW_FIELDS[field], row[field]) : '';
      });
    });
  },
);

function cell(tag, field, content) {
  const made = document.createElement(tag);
  if (NUMBERS.has(field)) made.className = 'number';
  made.textContent = content;
  return made;
}

function text(field, value) {
  return field in DIGITS ? value.toFixed(DIGITS[field]) : value;
}
