/* Colors and texts that several parts share. */

/** Returns a function from the name of a variable of the style to its present value. */
function readColors(element) {
  const style = getComputedStyle(element);
  return (name) => style.getPropertyValue('--' + name).trim();
}

/** Makes an element: attributes by name, `class`, `text` and `on*` included; then its children. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'text') element.textContent = value;
    else if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** Sets a text only if it differs: most texts stay the same from step to step. */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Formats a number with about three digits. */
function formatNumber(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e6) return minus(String(value));
  return minus(value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2));
}

/** Formats a number with its sign. */
function formatSigned(value) {
  return (value > 0 ? '+' : '') + formatNumber(value);
}

/** Formats a probability. */
function formatShare(share) {
  const percent = 100 * share;
  if (percent > 0 && percent < 0.1) return '< 0.1 %';
  return (percent >= 99.95 ? '100' : percent.toFixed(1)) + ' %';
}

/** Formats environment frames as minutes and seconds of game time. */
function formatTime(frame) {
  const seconds = Math.floor(frame / FRAMES_PER_SECOND);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Formats a number of environment frames. */
function formatFrames(count) {
  return `${count} ${count === 1 ? 'frame' : 'frames'}`;
}

const FRAMES_PER_SECOND = 16;

function minus(text) {
  return text.replace('-', '−');
}

/** Sizes a canvas for the pixels of the screen; returns its context, scaled to CSS pixels. */
function fitCanvas(canvas) {
  const box = canvas.getBoundingClientRect();
  const ratio = Math.min(window.devicePixelRatio || 1, 3);
  const width = Math.max(1, Math.round(box.width * ratio));
  const height = Math.max(1, Math.round(box.height * ratio));
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { context, width: box.width, height: box.height };
}

/** Colors of categories, of similar weight; the first one is for "none" and not drawn. */
const CATEGORIES = ['', '#4c9f70', '#3d7ea6', '#d08c36', '#b3545e', '#8a6fb0', '#5aa7a7', '#a3a14a',
  '#c2719a', '#6c7a89', '#7f9f3f', '#a0673f'];

/** Returns the RGB of '#rrggbb'. */
function rgb(color) {
  return [1, 3, 5].map((start) => parseInt(color.slice(start, start + 2), 16));
}
