/* The canvas of one player: the game, the overlay, and what is under the pointer. */

class Stage {
  /** Args: `options` is shared: `heat`, `orders`, and `layer`, the name of a layer or ''. */
  constructor(options, theme) {
    this.options = options;
    this.theme = theme;
    this.canvas = make('canvas', { class: 'game', role: 'img', 'aria-label': 'the game' });
    this.tip = make('div', { class: 'tip', hidden: true });
    this.clockText = make('span', { class: 'hud-time' });
    this.scoreText = make('span', { class: 'hud-score' });
    this.hud = make('div', { class: 'hud' }, this.scoreText, this.clockText);
    this.counts = make('div', { class: 'counts' });
    this.legend = make('div', { class: 'legend' });
    this.frame = make('div', { class: 'frame' }, this.canvas, this.hud, this.tip);
    this.element = make('div', { class: 'stage' }, this.frame, this.counts, this.legend);
    this.canvas.addEventListener('pointermove', (event) => this.point(event));
    this.canvas.addEventListener('pointerleave', () => this.point(null));
  }

  show(episode) {
    this.episode = episode;
    this.layerIndex = -1;
    this.layerValues = null;
    this.drawn = null;
    const [left, right, bottom, top] = episode.world.view;
    this.frame.style.aspectRatio = (right - left) / (top - bottom);
    this.frame.style.setProperty('--ratio', (right - left) / (top - bottom));
    return this.openLayer();
  }

  /** Unpacks the chosen layer, if this player has it. */
  async openLayer() {
    const { episode } = this;
    const index = episode.layers.findIndex(
      (layer) => `${layer.group} ${layer.name}` === this.options.layer);
    const values = index < 0 ? null : await episode.layer(index);
    if (episode !== this.episode) return;
    this.layerIndex = index;
    this.layerValues = values;
    this.describeLayer();
    if (this.drawn) this.draw(...this.drawn);
  }

  draw(step, frame) {
    const { episode } = this;
    if (!episode) return;
    const { context, width, height } = fitCanvas(this.canvas);
    const colors = this.theme.colors;
    const view = new View(episode.world, width, height);
    const units = listUnits(episode, step, episode.progress(step, frame));
    drawGround(context, view, episode, colors);
    if (this.layerValues) {
      const layer = episode.layers[this.layerIndex];
      drawLayer(context, view, episode, step, layer, this.layerValues, colors);
    }
    if (this.options.heat) {
      for (const name of Object.keys(POINTS)) {
        if (name in episode.choices.heat) drawHeat(context, view, episode, step, name, colors);
      }
    }
    drawCamera(context, view, episode, step, colors);
    if (this.options.orders) drawOrders(context, view, units, colors);
    drawUnits(context, view, units, colors);
    drawPoints(context, view, episode, step, colors);
    this.drawn = [step, frame];
    this.view = view;
    this.units = units;
    setText(this.scoreText, formatNumber(episode.scores[frame >= episode.end ? step + 1 : step]));
    setText(this.clockText, frame >= episode.end ? `ended ${formatTime(episode.end)}` : formatTime(frame));
    this.count(units);
    this.explain();
  }

  /** Writes how many units of each type there are. */
  count(units) {
    const numbers = new Map();
    for (const unit of units) {
      const key = `${unit.owner}/${unit.type.name}`;
      numbers.set(key, (numbers.get(key) || 0) + 1);
    }
    const text = [...numbers].sort().map(([key, number]) => `${key}/${number}`).join();
    if (text === this.countsText) return;
    this.countsText = text;
    const owners = { 1: 'self', 2: 'enemy', 16: 'neutral' };
    this.counts.replaceChildren(...[...numbers].sort().map(([key, number]) => {
      const [owner, name] = key.split('/');
      return make('span', { class: 'count' },
        make('i', { style: `background: var(--${owners[owner]})` }), `${name} × ${number}`);
    }));
  }

  describeLayer() {
    const layer = this.episode.layers[this.layerIndex];
    this.legend.replaceChildren();
    if (!layer) {
      if (this.options.layer) {
        const why = this.episode.left_out.includes(this.options.layer) ? 'was left out of the file'
          : 'is not observed by this player';
        this.legend.append(`${this.options.layer} ${why}`);
      }
      return;
    }
    this.legend.append(make('b', { text: `${layer.group} ${layer.name}` }));
    if (!layer.labels.length) {
      this.legend.append(make('i', { class: 'ramp' }), `0 to ${formatNumber(layer.top)}`);
    }
    layer.labels.forEach((label, value) => {
      if (label === 'none' || label === '0' || value > 16) return;
      const color = categoryColor(label, value, this.theme.colors);
      this.legend.append(make('span', { class: 'count' },
        make('i', { style: `background: ${color}` }), label));
    });
  }

  point(event) {
    const box = this.canvas.getBoundingClientRect();
    this.pointer = event && [event.clientX - box.left, event.clientY - box.top];
    this.explain();
  }

  /** Writes what is under the pointer. */
  explain() {
    this.tip.hidden = !this.pointer || !this.view;
    if (this.tip.hidden) return;
    const { episode, view } = this;
    const [x, y] = this.pointer, [step] = this.drawn;
    const lines = [];
    const unit = unitAt(this.units, view, x, y);
    if (unit) lines.push(describeUnit(unit));
    if (this.layerValues) {
      const layer = episode.layers[this.layerIndex];
      const [, height, width] = this.layerValues.shape;
      const pixel = pixelAt(episode, step, view, layer.group, width, height, x, y);
      if (pixel) lines.push(describePixel(layer, this.layerValues, step, pixel));
    }
    for (const name of Object.keys(episode.choices.heat)) {
      const row = episode.heatRow(step, name);
      if (row < 0 || !this.options.heat) continue;
      const [, height, width] = episode.choices.heat[name].shape;
      const pixel = pixelAt(episode, step, view, POINTS[name], width, height, x, y);
      if (!pixel) continue;
      const value = episode.choices.heat[name][row * width * height + pixel[1] * width + pixel[0]];
      const share = (value / 255) ** 2 * episode.choices.peak[name][step];
      const what = episode.player.kind === 'policy' ? formatShare(share) : formatNumber(share);
      lines.push(`${name}: ${what}`);
    }
    this.tip.hidden = !lines.length;
    setText(this.tip, lines.join('\n'));
    const right = x > this.canvas.clientWidth / 2;
    this.tip.style.left = right ? '' : `${x + 14}px`;
    this.tip.style.right = right ? `${this.canvas.clientWidth - x + 14}px` : '';
    this.tip.style.top = `${Math.max(y - 10, 0)}px`;
  }
}
