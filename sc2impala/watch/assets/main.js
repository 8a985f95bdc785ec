/* Joins the parts of a player, and starts it in every place that has data. */

class Watch {
  constructor(host) {
    this.traces = JSON.parse(host.querySelector('script').textContent);
    const root = host.attachShadow({ mode: 'open' });
    root.append(host.querySelector('template').content);
    this.options = { heat: true, orders: true, layer: '' };
    this.theme = { colors: null };
    this.clock = new Clock(() => this.draw());
    this.stages = this.traces.map(() => new Stage(this.options, this.theme));
    this.panels = this.traces.map(() => new DecisionPanel());
    this.lanes = new Lanes(this.theme, (frame) => this.clock.seek(frame));
    this.header = makeHeader(this.traces, (index) => this.choose(index));
    this.controls = makeControls({
      toggle: () => this.clock.toggle(),
      stepBy: (count) => this.stepBy(count),
      seek: (frame) => this.clock.seek(frame),
      setSpeed: (speed) => { this.clock.speed = speed; },
      setOption: (name, value) => this.setOption(name, value),
    }, this.options);
    this.element = make('div', { class: `watch players-${this.traces.length}` },
      this.header.element,
      make('main', {}, ...this.traces.map((trace, i) => this.makePlayer(trace, i))),
      make('div', { class: 'transport' }, this.controls.element,
        make('div', { class: 'scrub-line' }, this.controls.scrub), this.lanes.element),
      this.makeFooter());
    root.append(this.element);
    this.element.tabIndex = -1;
    const keys = host.hasAttribute('data-whole-page') ? document : this.element;
    keys.addEventListener('keydown', (event) => this.press(event));
    this.followTheme();
    new ResizeObserver(() => this.redraw()).observe(this.element);
    this.choose(0);
  }

  makePlayer(trace, index) {
    const parts = [this.stages[index].element, this.panels[index].element];
    if (this.traces.length > 1) {
      parts.unshift(makeName(trace.player, index));
      this.panels[index].element.classList.add(`p${index}`);
    }
    return make('section', { class: 'player' }, ...parts);
  }

  makeFooter() {
    const notes = new Set(this.traces.map(({ player }) => player.value_note).filter(Boolean));
    return make('footer', {}, ...[...notes].map((text) => make('p', { text })),
      make('p', { text: 'Keys: space plays and pauses, arrows step (with shift ten steps), '
        + 'home and end, [ and ] change the speed, numbers choose the episode.' }));
  }

  /** Shows another episode; `ready` is a promise of the end of the last change. */
  choose(index) {
    this.ready = this.open(index);
  }

  async open(index) {
    this.clock.toggle(false);
    this.chosen = index;
    const episodes = await Promise.all(this.traces.map((trace) => Episode.open(trace, index)));
    if (this.chosen !== index) return;
    this.episodes = null;
    episodes.forEach((episode, i) => this.panels[i].show(episode));
    fillLayers(this.controls.layer, episodes);
    this.options.layer = this.controls.layer.value;
    await Promise.all(episodes.map((episode, i) => this.stages[i].show(episode)));
    const end = Math.max(...episodes.map((episode) => episode.end));
    this.lanes.show(episodes, end);
    this.controls.scrub.max = end;
    this.header.chips.forEach((chip, i) => chip.setAttribute('aria-pressed', String(i === index)));
    this.episodes = episodes;
    this.clock.setEnd(end);
  }

  setOption(name, value) {
    this.options[name] = value;
    if (name === 'layer') this.ready = Promise.all(this.stages.map((stage) => stage.openLayer()));
    this.draw();
  }

  /** Goes to the next or an earlier step of any player. */
  stepBy(count) {
    this.clock.toggle(false);
    const starts = [...new Set(this.episodes.flatMap((episode) => [...episode.frames]))];
    starts.sort((a, b) => a - b);
    const { frame } = this.clock;
    const after = starts.findIndex((start) => start > frame + 1e-6);
    const next = after < 0 ? starts.length : after;
    const isBetween = starts[next - 1] < frame - 1e-6;
    const target = count > 0 ? next + count - 1 : next - 1 + count + Number(isBetween);
    this.clock.seek(starts[Math.min(Math.max(target, 0), starts.length - 1)]);
  }

  press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const path = event.composedPath();
    const within = path[0] && path[0].tagName;
    if (within === 'SELECT' || (within === 'BUTTON' && event.key === ' ')) return;
    const many = event.shiftKey ? 10 : 1;
    const actions = {
      ' ': () => this.clock.toggle(),
      ArrowLeft: () => this.stepBy(-many),
      ArrowRight: () => this.stepBy(many),
      Home: () => this.clock.seek(0),
      End: () => this.clock.seek(this.clock.end),
      '[': () => this.changeSpeed(-1),
      ']': () => this.changeSpeed(1),
    };
    const number = Number(event.key);
    if (number >= 1 && number <= this.header.chips.length) actions[event.key] = () => this.choose(number - 1);
    if (!(event.key in actions)) return;
    event.preventDefault();
    actions[event.key]();
  }

  changeSpeed(by) {
    const { speed } = this.controls;
    speed.selectedIndex = Math.min(Math.max(speed.selectedIndex + by, 0), SPEEDS.length - 1);
    this.clock.speed = Number(speed.value);
  }

  draw() {
    if (!this.episodes) return;
    const { frame, end, playing } = this.clock;
    const steps = this.episodes.map((episode) => episode.stepAt(frame));
    this.stages.forEach((stage, i) => stage.draw(steps[i], frame));
    this.panels.forEach((panel, i) => panel.draw(steps[i]));
    this.lanes.draw(frame, steps);
    const { play, scrub, time } = this.controls;
    scrub.value = frame;
    scrub.style.setProperty('--done', frame / end);
    const count = this.episodes.map((episode, i) => `${steps[i] + 1} of ${episode.steps}`);
    setText(time, `step ${count.join(' / ')} · frame ${Math.floor(frame)} of ${end}`);
    play.querySelector('path').setAttribute('d', playing ? SIGNS.pause : SIGNS.play);
    label(play, playing ? 'Pause (space)' : 'Play (space)');
  }

  redraw() {
    this.lanes.plot();
    this.draw();
  }

  /** Reads the colors again when the user changes between light and dark. */
  followTheme() {
    const read = () => {
      this.theme.colors = readColors(this.element);
      this.redraw();
    };
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', read);
    read();
  }
}

for (const host of document.querySelectorAll('.sc2impala-watch:not([data-started])')) {
  host.setAttribute('data-started', '');
  host.watch = new Watch(host);
}
