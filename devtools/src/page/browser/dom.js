/** @typedef {Node | string | false | null | undefined} Child */

/**
 * @param {Element} node
 * @param {Record<string, unknown>} props attributes; `on…` are listeners
 */
function setAll(node, props) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') {
      node.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    } else {
      node.setAttribute(name, value === true ? '' : String(value));
    }
  }
}

/**
 * Makes an element. Strings become text nodes, never markup.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown> | null} [props] attributes; a function under `onclick` is a listener of `click`
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, props, ...children) {
  const node = document.createElement(tag);
  if (props) setAll(node, props);
  node.append(...present(children));
  return node;
}

/**
 * Makes an SVG element.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown>} props
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svg(tag, props, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setAll(node, props);
  node.append(...present(children));
  return node;
}

/**
 * Children without the absent ones.
 * @param {Child[]} children
 * @returns {(Node | string)[]}
 */
export function present(children) {
  return /** @type {(Node | string)[]} */ (
    children.filter((child) => child !== undefined && child !== null && child !== false)
  );
}

/**
 * An element of the page's own HTML.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`The page has no element #${id}.`);
  return node;
}

/**
 * Sets text only if it differs, to avoid needless layout.
 * @param {Node} node
 * @param {string} text
 */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** @type {Set<() => void>} */
const due = new Set();

/**
 * Returns a function that schedules `run` before the next frame, at most once per frame.
 * @param {() => void} work
 */
export function onFrame(work) {
  if (due.size === 0) {
    requestAnimationFrame(() => {
      const works = [...due];
      due.clear();
      for (const each of works) each();
    });
  }
  due.add(work);
}
