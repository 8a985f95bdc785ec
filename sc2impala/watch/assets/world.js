/* Draws the ground and the units of a game. */

const SELF = 1, ENEMY = 2;
const ORDERS = ['', 'holds', 'moves', 'attacks', 'patrols', 'gathers', 'returns', 'builds'];
const MOVE = 2, ATTACK = 3;
const CELLS_PER_FRAME = 0.4;

/** Maps points of the world to pixels of a canvas. */
class View {
  constructor(world, width, height) {
    const [left, right, bottom, top] = world.view;
    this.left = left;
    this.top = top;
    this.width = width;
    this.height = height;
    this.across = width / (right - left);
    this.down = height / (top - bottom);
  }

  x(x) {
    return (x - this.left) * this.across;
  }

  y(y) {
    return (this.top - y) * this.down;
  }

  /** Returns x, y, width and height of a rectangle [left, right, bottom, top]. */
  box([left, right, bottom, top]) {
    return [this.x(left), this.y(top), (right - left) * this.across, (top - bottom) * this.down];
  }
}

/** Draws the region of the units with a grid. */
function drawGround(context, view, episode, colors) {
  const { playable } = episode.world;
  context.fillStyle = colors('outside');
  context.fillRect(0, 0, context.canvas.width, context.canvas.height);
  context.fillStyle = colors('ground');
  context.fillRect(...view.box(playable));
  context.strokeStyle = colors('grid');
  context.lineWidth = 1;
  context.beginPath();
  const [left, right, bottom, top] = playable;
  for (let x = Math.ceil(left / 2) * 2; x < right; x += 2) {
    context.moveTo(Math.round(view.x(x)) + 0.5, view.y(top));
    context.lineTo(Math.round(view.x(x)) + 0.5, view.y(bottom));
  }
  for (let y = Math.ceil(bottom / 2) * 2; y < top; y += 2) {
    context.moveTo(view.x(left), Math.round(view.y(y)) + 0.5);
    context.lineTo(view.x(right), Math.round(view.y(y)) + 0.5);
  }
  context.stroke();
}

/** Draws the border of what the screen shows, where the player can move it. */
function drawCamera(context, view, episode, step, colors) {
  if (!episode.world.camera_moves) return;
  context.strokeStyle = colors('muted');
  context.setLineDash([6, 4]);
  context.strokeRect(...view.box(episode.area('screen', step)));
  context.setLineDash([]);
}

/** Lists the units between two steps: those that move are interpolated. */
function listUnits(episode, step, progress) {
  const { units, slots, scale } = episode;
  const found = [];
  const next = step + 1 < episode.steps && progress > 0 ? step + 1 : step;
  const reach = 1 + CELLS_PER_FRAME * (episode.frames[next] - episode.frames[step]);
  for (let slot = 0; slot < slots; slot++) {
    const i = step * slots + slot, j = next * slots + slot;
    if (units.type[i] === ABSENT) continue;
    let x = units.x[i] / scale, y = units.y[i] / scale;
    if (slot < units.mobile && units.type[j] === units.type[i] && units.owner[j] === units.owner[i]) {
      const dx = units.x[j] / scale - x, dy = units.y[j] / scale - y;
      if (Math.hypot(dx, dy) < reach) {
        x += progress * dx;
        y += progress * dy;
      }
    }
    found.push({
      slot, x, y,
      type: episode.world.unit_types[units.type[i]],
      typeIndex: units.type[i],
      owner: units.owner[i],
      health: units.health[i],
      angle: (units.facing[i] / 256) * 2 * Math.PI,
      mobile: slot < units.mobile,
      selected: (units.flags[i] & SELECTED) !== 0,
      seen: (units.flags[i] & SEEN) !== 0,
      unfinished: (units.flags[i] & UNFINISHED) !== 0,
      order: units.order[i],
      targetX: units.target_x[i] / scale,
      targetY: units.target_y[i] / scale,
    });
  }
  return found;
}

/** Draws lines from units to the targets of their orders. */
function drawOrders(context, view, units, colors) {
  for (const unit of units) {
    if (unit.order < MOVE || !unit.mobile) continue;
    const color = colors(unit.order === ATTACK ? 'attack' : unit.order === MOVE ? 'move' : 'work');
    const x = view.x(unit.targetX), y = view.y(unit.targetY);
    context.globalAlpha = unit.owner === SELF ? 0.6 : 0.35;
    context.strokeStyle = context.fillStyle = color;
    context.lineWidth = 1.25;
    context.setLineDash(unit.order === ATTACK ? [] : [4, 4]);
    context.beginPath();
    context.moveTo(view.x(unit.x), view.y(unit.y));
    context.lineTo(x, y);
    context.stroke();
    context.setLineDash([]);
    context.beginPath();
    context.arc(x, y, 2.5, 0, 2 * Math.PI);
    context.fill();
  }
  context.globalAlpha = 1;
}

/** Draws units: buildings and resources as boxes, others as discs with their direction. */
function drawUnits(context, view, units, colors) {
  for (const unit of [...units].sort((a, b) => Number(a.mobile) - Number(b.mobile))) {
    const color = colors(unit.owner === SELF ? 'self' : unit.owner === ENEMY ? 'enemy' : 'neutral');
    context.globalAlpha = unit.seen ? 1 : 0.35;
    if (unit.mobile) drawDisc(context, view, unit, color, colors);
    else drawBox(context, view, unit, color, colors);
    drawHealth(context, view, unit, colors);
  }
  context.globalAlpha = 1;
}

function drawDisc(context, view, unit, color, colors) {
  const x = view.x(unit.x), y = view.y(unit.y);
  const radius = Math.max(unit.type.radius * view.across, 2.5);
  if (unit.selected) {
    context.strokeStyle = colors('selected');
    context.lineWidth = 2;
    context.beginPath();
    context.arc(x, y, radius + 3, 0, 2 * Math.PI);
    context.stroke();
  }
  context.fillStyle = color;
  context.strokeStyle = colors('edge');
  context.lineWidth = 1;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
  context.stroke();
  context.strokeStyle = colors('edge');
  context.lineWidth = Math.max(1.5, radius / 5);
  context.beginPath();
  context.moveTo(x + 0.35 * radius * Math.cos(unit.angle), y - 0.35 * radius * Math.sin(unit.angle));
  context.lineTo(x + radius * Math.cos(unit.angle), y - radius * Math.sin(unit.angle));
  context.stroke();
}

function drawBox(context, view, unit, color, colors) {
  const [columns, rows] = unit.type.footprint;
  const x = view.x(unit.x), y = view.y(unit.y);
  context.fillStyle = context.strokeStyle = color;
  context.lineWidth = 1.5;
  context.beginPath();
  if (columns && rows) {
    const width = columns * view.across - 2, height = rows * view.down - 2;
    context.roundRect(x - width / 2, y - height / 2, width, height, 3);
  } else {
    context.arc(x, y, unit.type.radius * view.across, 0, 2 * Math.PI);
  }
  const alpha = context.globalAlpha;
  context.globalAlpha = alpha * (unit.unfinished ? 0.2 : 0.4);
  context.fill();
  context.globalAlpha = alpha;
  context.setLineDash(unit.unfinished ? [4, 3] : []);
  context.stroke();
  context.setLineDash([]);
  if (unit.selected) {
    context.strokeStyle = colors('selected');
    context.lineWidth = 2.5;
    context.stroke();
  }
}

/** Draws the health of a unit that has lost some. */
function drawHealth(context, view, unit, colors) {
  const part = unit.health / unit.type.health;
  if (part >= 1 || unit.health === 0) return;
  const width = Math.max(2.2 * unit.type.radius * view.across, 12);
  const x = view.x(unit.x) - width / 2, y = view.y(unit.y) - unit.type.radius * view.across - 8;
  context.fillStyle = colors('track');
  context.fillRect(x, y, width, 3);
  context.fillStyle = colors(part > 0.5 ? 'healthy' : part > 0.25 ? 'hurt' : 'dying');
  context.fillRect(x, y, width * part, 3);
}

/** Returns the unit at a point of the canvas, or undefined. */
function unitAt(units, view, x, y) {
  let best, distance = Infinity;
  for (const unit of units) {
    const gap = Math.hypot(view.x(unit.x) - x, view.y(unit.y) - y) - unit.type.radius * view.across;
    if (gap < Math.min(distance, 5)) {
      best = unit;
      distance = gap;
    }
  }
  return best;
}

/** Describes a unit in a line. */
function describeUnit(unit) {
  const whose = unit.owner === SELF ? 'own' : unit.owner === ENEMY ? 'enemy' : 'neutral';
  const parts = [`${unit.type.name} (${whose})`];
  if (unit.health) parts.push(`${unit.health} of ${formatNumber(unit.type.health)} hit points`);
  if (unit.order) parts.push(ORDERS[unit.order]);
  if (unit.selected) parts.push('selected');
  if (!unit.seen) parts.push('not seen by the player');
  return parts.join(', ');
}
