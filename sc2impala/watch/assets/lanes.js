/* Curves over the time of an episode, one below the other. */

const LANES = [
  { name: 'Score', title: 'cumulative reward of the game', kind: 'steps',
    series: (episode) => [episode.scores], now: (episode, step) => episode.scores[step] },
  { name: 'Value', title: 'baseline (solid) and discounted rewards as they came (dashed)',
    kind: 'line', series: (episode) => episode.values && [episode.values, episode.returns],
    now: (episode, step) => episode.values[step] },
  { name: 'TD error', title: 'one-step advantage: reward + discounted next value - value',
    kind: 'bars', series: (episode) => episode.advantages && [episode.advantages],
    now: (episode, step) => episode.advantages[step] },
  { name: 'Entropy', title: 'of all heads in use, in nats', kind: 'line',
    series: (episode) => episode.entropies && [episode.entropies],
    now: (episode, step) => episode.entropies[step] },
  { name: 'Step multiplier', title: 'frames until the next step', kind: 'steps',
    series: (episode) => [episode.choices.chosen.step_mul],
    now: (episode, step) => episode.choices.chosen.step_mul[step] },
];

class Lanes {
  /** Args: `seek` is called with the frame under the pointer. */
  constructor(theme, seek) {
    this.theme = theme;
    this.seek = seek;
    this.list = make('div', { class: 'lane-list' });
    this.head = make('i', { class: 'playhead' });
    this.overlay = make('div', { class: 'lane-overlay' }, this.head);
    this.element = make('div', { class: 'lanes' }, this.list, this.overlay);
    const drag = (event) => {
      if (event.type === 'pointermove' && !event.buttons) return;
      if (event.type === 'pointerdown') this.overlay.setPointerCapture(event.pointerId);
      const box = this.overlay.getBoundingClientRect();
      this.seek(Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1) * this.end);
    };
    this.overlay.addEventListener('pointerdown', drag);
    this.overlay.addEventListener('pointermove', drag);
  }

  show(episodes, end) {
    this.episodes = episodes;
    this.end = end;
    this.lanes = LANES.map((lane) => ({ lane, data: episodes.map(lane.series) }))
      .filter(({ lane, data }) => data.some((series) => series && this.varies(lane, series)))
      .map(({ lane, data }) => {
        const now = episodes.map((_, i) => make('span', { class: `now p${i}` }));
        const canvas = make('canvas');
        const scale = make('div', { class: 'scale' }, make('span'), make('span'));
        const element = make('div', { class: 'lane', title: lane.title },
          make('div', { class: 'lane-name' }, make('span', { text: lane.name }), ...now), canvas, scale);
        return { lane, data, now, canvas, scale, element };
      });
    this.list.replaceChildren(...this.lanes.map(({ element }) => element));
    this.plot();
  }

  varies(lane, [series]) {
    return lane.name !== 'Step multiplier' || series.some((value) => value !== series[0]);
  }

  /** Draws all curves; needed for a new episode, size or theme. */
  plot() {
    if (!this.lanes) return;
    for (const each of this.lanes) this.plotLane(each);
  }

  plotLane({ lane, data, canvas, scale }) {
    const { context, width, height } = fitCanvas(canvas);
    const { colors } = this.theme;
    let low = 0, high = 0;
    for (const series of data) {
      for (const values of series || []) {
        for (const value of values) {
          low = Math.min(low, value);
          high = Math.max(high, value);
        }
      }
    }
    if (high === low) high = low + 1;
    const y = (value) => 3 + ((high - value) / (high - low)) * (height - 6);
    context.clearRect(0, 0, width, height);
    context.strokeStyle = colors('grid');
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(0, Math.round(y(0)) + 0.5);
    context.lineTo(width, Math.round(y(0)) + 0.5);
    context.stroke();
    data.forEach((series, player) => {
      (series || []).forEach((values, index) => {
        context.strokeStyle = context.fillStyle = colors(`p${player}`);
        context.lineWidth = index ? 1 : 1.75;
        context.globalAlpha = index ? 0.7 : 1;
        context.setLineDash(index ? [4, 3] : []);
        this.plotSeries(context, lane.kind, this.episodes[player], values, width, y);
      });
    });
    context.setLineDash([]);
    context.globalAlpha = 1;
    setText(scale.firstChild, formatNumber(high));
    setText(scale.lastChild, formatNumber(low));
  }

  plotSeries(context, kind, episode, values, width, y) {
    const x = (frame) => (frame / this.end) * width;
    context.beginPath();
    for (let t = 0; t < values.length; t++) {
      const left = x(episode.frames[t]);
      if (kind === 'bars') {
        const right = x(episode.frames[t + 1]);
        const top = Math.min(y(values[t]), y(0));
        context.rect(left, top, Math.max(right - left - 0.5, 0.75), Math.abs(y(values[t]) - y(0)));
        continue;
      }
      if (kind === 'steps' && t) context.lineTo(left, y(values[t - 1]));
      if (t) context.lineTo(left, y(values[t]));
      else context.moveTo(left, y(values[t]));
    }
    if (kind === 'bars') context.fill();
    else context.stroke();
  }

  /** Moves the line of the present, and writes the present values. */
  draw(frame, steps) {
    this.head.style.left = `${(100 * frame) / this.end}%`;
    for (const { lane, data, now } of this.lanes) {
      this.episodes.forEach((episode, i) => {
        const at = lane.name === 'Score' && frame >= episode.end ? steps[i] + 1 : steps[i];
        setText(now[i], data[i] ? formatNumber(lane.now(episode, at)) : '–');
      });
    }
  }
}
