/** @import { Vehicle } from './vehicle.js' */

const byName = new Intl.Collator('en', { numeric: true });

/** A row for each vehicle, in the order of their names. */
export class VehicleTable {
  /** @type {Map<string, HTMLTableRowElement>} */
  #rows = new Map();
  /** @type {HTMLTableSectionElement} */
  #body;

  /** @param {HTMLTableSectionElement} body */
  constructor(body) {
    this.#body = body;
  }

  get size() {
    return this.#rows.size;
  }

  /**
   * @param {Vehicle} vehicle
   * @param {string} lag - how late it came, in words
   */
  put(vehicle, lag) {
    const row = this.#row(vehicle);
    const { name, line, status, kmPerHour, occupancy } = vehicle;
    const speed = kmPerHour === undefined ? '' : kmPerHour.toFixed(0);
    row.replaceChildren(
      cell(name),
      cell(line.name, swatch(line.colour)),
      cell(status),
      cell(speed, undefined, 'number'),
      cell(occupancy),
      cell(lag, undefined, 'number'),
    );
    row.classList.remove('fresh');
    // An animation begins again only where its class was seen to be gone.
    requestAnimationFrame(() => row.classList.add('fresh'));
  }

  /** @param {string} entity */
  remove(entity) {
    this.#rows.get(entity)?.remove();
    this.#rows.delete(entity);
  }

  clear() {
    this.#rows.clear();
    this.#body.replaceChildren();
  }

  /** @param {Vehicle} vehicle */
  #row({ entity, name }) {
    const known = this.#rows.get(entity);
    if (known) return known;
    const row = document.createElement('tr');
    row.dataset.name = name;
    const next = [...this.#body.rows].find((other) => byName.compare(other.dataset.name ?? '', name) > 0);
    this.#body.insertBefore(row, next ?? null);
    this.#rows.set(entity, row);
    return row;
  }
}

/**
 * @param {string} text
 * @param {Node} [before]
 * @param {string} [kind]
 */
function cell(text, before, kind = '') {
  const made = document.createElement('td');
  made.className = kind;
  made.append(...(before ? [before] : []), text);
  return made;
}

/** @param {string} colour */
function swatch(colour) {
  const made = document.createElement('span');
  made.className = 'swatch';
  made.style.background = colour;
  return made;
}
