/* Pictures over the game: the policy's heat map, and feature layers. */

const POINTS = { screen: 'screen', screen2: 'screen', minimap: 'minimap' };

/** Draws rows of bytes as a picture, one pixel each; `color` returns [r, g, b, alpha]. */
function paint(values, start, width, height, color) {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  const image = context.createImageData(width, height);
  for (let i = 0; i < width * height; i++) image.data.set(color(values[start + i]), 4 * i);
  context.putImageData(image, 0, 0);
  return canvas;
}

/** Draws a picture over a rectangle of the world, pixel by pixel. */
function place(context, view, picture, area, alpha = 1) {
  context.imageSmoothingEnabled = false;
  context.globalAlpha = alpha;
  context.drawImage(picture, ...view.box(area));
  context.globalAlpha = 1;
}

/** Draws where the policy would have pointed. */
function drawHeat(context, view, episode, step, name, colors) {
  const row = episode.heatRow(step, name);
  if (row < 0) return;
  const values = episode.choices.heat[name];
  const [, height, width] = values.shape;
  const hot = rgb(colors('hot'));
  const picture = paint(values, row * width * height, width, height, (value) => [
    ...hot, Math.round(0.85 * value),
  ]);
  place(context, view, picture, heatArea(episode, step, name));
}

/** Returns the rectangle of a heat map: its cells may reach beyond the pixels. */
function heatArea(episode, step, name) {
  const [left, right, bottom, top] = episode.area(POINTS[name], step);
  const [width, height] = episode.headOf(name).size;
  const [, rows, columns] = episode.choices.heat[name].shape;
  const factor = Math.ceil(Math.max(width, height) / Math.max(rows, columns));
  return [left, left + ((right - left) * columns * factor) / width,
    top - ((top - bottom) * rows * factor) / height, top];
}

/** Marks the chosen points. */
function drawPoints(context, view, episode, step, colors) {
  for (const name of Object.keys(POINTS)) {
    if (!episode.headOf(name) || !episode.uses(step, name)) continue;
    const [column, row] = episode.point(step, name);
    const [width, height] = episode.headOf(name).size;
    const [left, right, bottom, top] = episode.area(POINTS[name], step);
    // Points beyond the view, where no unit can go, are marked at its border.
    const x = clamp(view.x(left + ((column + 0.5) / width) * (right - left)), view.width);
    const y = clamp(view.y(top - ((row + 0.5) / height) * (top - bottom)), view.height);
    for (const [color, line] of [[colors('panel'), 5], [colors('chosen'), 2]]) {
      context.strokeStyle = color;
      context.lineWidth = line;
      context.beginPath();
      context.arc(x, y, 9, 0, 2 * Math.PI);
      for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
        context.moveTo(x + 5 * dx, y + 5 * dy);
        context.lineTo(x + 14 * dx, y + 14 * dy);
      }
      context.stroke();
    }
  }
}

function clamp(value, end) {
  return Math.min(Math.max(value, 0), end);
}

/** Returns the color of a value of a layer. */
function layerColor(layer, colors) {
  if (layer.labels.length) {
    return (value) => {
      const label = layer.labels[value];
      if (label === 'none' || label === '0') return [0, 0, 0, 0];
      return [...rgb(categoryColor(label, value, colors)), 210];
    };
  }
  const bright = rgb(colors('amount'));
  return (value) => [...bright, Math.round(Math.sqrt(value / 255) * 230)];
}

function categoryColor(label, value, colors) {
  if (['self', 'enemy', 'neutral'].includes(label)) return colors(label);
  return CATEGORIES[1 + ((value + CATEGORIES.length - 2) % (CATEGORIES.length - 1))];
}

function drawLayer(context, view, episode, step, layer, values, colors) {
  const [, height, width] = values.shape;
  const start = step * width * height;
  const picture = paint(values, start, width, height, layerColor(layer, colors));
  place(context, view, picture, episode.area(layer.group, step));
}

/** Returns the pixel of a group of layers at a point of the canvas, or null. */
function pixelAt(episode, step, view, group, width, height, x, y) {
  const [boxX, boxY, boxWidth, boxHeight] = view.box(episode.area(group, step));
  const column = Math.floor(((x - boxX) / boxWidth) * width);
  const row = Math.floor(((y - boxY) / boxHeight) * height);
  const inside = column >= 0 && column < width && row >= 0 && row < height;
  return inside ? [column, row] : null;
}

/** Describes the value of a layer at a pixel. */
function describePixel(layer, values, step, [column, row]) {
  const [, height, width] = values.shape;
  const value = values[step * width * height + row * width + column];
  const amount = Math.round((value * layer.top) / 255);
  return `${layer.name}: ${layer.labels.length ? layer.labels[value] : amount}`;
}
