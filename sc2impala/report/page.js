'use strict';
// Values under the pointer, lines that can be switched off, and charts of which one is shown.

function format(value) {
  if (value === null || value === undefined) return '\u2013';
  const size = Math.abs(value);
  if (size >= 1e5) return Math.round(value).toLocaleString('en');
  if (size && size < 1e-3) return value.toExponential(2);
  return Number(value.toPrecision(4)).toLocaleString('en', {maximumFractionDigits: 6});
}

function nearest(sorted, x) {
  let low = 0, high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < x) low = middle + 1; else high = middle;
  }
  return low > 0 && x - sorted[low - 1] < sorted[low] - x ? low - 1 : low;
}

function row(tip, label, value, color) {
  const line = document.createElement('div');
  const name = document.createElement('span');
  const number = document.createElement('b');
  name.textContent = label;
  number.textContent = value;
  if (color !== undefined) name.className = 'key c' + color;
  line.append(name, number);
  tip.append(line);
}

function makeInteractive(figure) {
  const data = JSON.parse(figure.querySelector('script').textContent);
  const area = figure.querySelector('.area');
  const cursor = figure.querySelector('.cursor');
  const tip = document.createElement('div');
  tip.className = 'tip';
  const hidden = new Set();

  function show(event) {
    const box = area.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    const wanted = data.x[0] + share * (data.x[1] - data.x[0]);
    const series = data.series.filter((each, i) => !hidden.has(i) && each.x.length);
    if (!series.length) return hide();
    const found = series.map(each => nearest(each.x, wanted));
    const places = series.map((each, i) => each.x[found[i]]);
    const at = places.reduce((a, b) => Math.abs(b - wanted) < Math.abs(a - wanted) ? b : a);
    const position = (at - data.x[0]) / (data.x[1] - data.x[0]);
    const reach = 12 / box.width * (data.x[1] - data.x[0]);
    tip.replaceChildren();
    row(tip, format(at) + ' ' + data.unit, '');
    tip.firstChild.className = 'head';
    series.forEach((each, i) => {
      const k = found[i];
      const band = each.low ? '  (' + format(each.low[k]) + ' to ' + format(each.high[k]) + ')' : '';
      row(tip, each.label, format(each.y[k]) + band, each.color);
    });
    data.marks.filter(mark => Math.abs(mark.x - wanted) < reach)
      .forEach(mark => row(tip, mark.label, ''));
    cursor.style.display = 'block';
    cursor.style.left = 100 * position + '%';
    document.body.append(tip);
    const x = box.left + position * box.width;
    const width = tip.offsetWidth;
    const left = x + 14 + width > document.documentElement.clientWidth ? x - 14 - width : x + 14;
    tip.style.left = Math.max(4, left) + window.scrollX + 'px';
    tip.style.top = Math.max(box.top, event.clientY - tip.offsetHeight - 8) + window.scrollY + 'px';
  }

  function hide() {
    cursor.style.display = 'none';
    tip.remove();
  }

  area.addEventListener('pointermove', show);
  area.addEventListener('pointerdown', show);
  area.addEventListener('pointerleave', hide);
  figure.querySelectorAll('.legend button').forEach(button => {
    const i = Number(button.dataset.i);
    button.addEventListener('click', () => {
      if (hidden.has(i)) hidden.delete(i); else hidden.add(i);
      button.setAttribute('aria-pressed', String(!hidden.has(i)));
      figure.querySelector('.series[data-i="' + i + '"]').classList.toggle('off', hidden.has(i));
    });
  });
}

document.querySelectorAll('figure.chart').forEach(makeInteractive);

document.querySelectorAll('.variants').forEach(group => {
  const buttons = Array.from(group.querySelectorAll('.choice button'));
  const variants = Array.from(group.querySelectorAll('.variant'));
  buttons.forEach((button, chosen) => button.addEventListener('click', () => {
    buttons.forEach((each, i) => each.setAttribute('aria-pressed', String(i === chosen)));
    variants.forEach((each, i) => { each.hidden = i !== chosen; });
  }));
});

window.addEventListener('beforeprint', () => {
  document.querySelectorAll('details').forEach(each => { each.open = true; });
});
