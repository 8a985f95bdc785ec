/* The parts of the page and the controls, without what they do. */

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];

/** Makes a button with a drawn sign. */
function makeButton(name, path, action) {
  const button = make('button', { type: 'button', class: `button ${name}`, onclick: action });
  button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`;
  return button;
}

const SIGNS = {
  play: 'M8 5v14l11-7z',
  pause: 'M7 5h4v14H7zM13 5h4v14h-4z',
  back: 'M6 5h2.5v14H6zM19 5v14L9.5 12z',
  forward: 'M15.5 5H18v14h-2.5zM5 5v14l9.5-7z',
};

/** Makes the bar of controls; `act` has the functions that they call. */
function makeControls(act, options) {
  const play = makeButton('play', SIGNS.play, act.toggle);
  const back = makeButton('back', SIGNS.back, () => act.stepBy(-1));
  const forward = makeButton('forward', SIGNS.forward, () => act.stepBy(1));
  label(back, 'Previous step (left arrow)');
  label(forward, 'Next step (right arrow)');
  const scrub = make('input', { type: 'range', class: 'scrub', min: 0, step: 'any', value: 0,
    'aria-label': 'Frame', oninput: () => act.seek(Number(scrub.value)) });
  const time = make('output', { class: 'time' });
  const speed = make('select', { class: 'speed', 'aria-label': 'Speed',
    onchange: () => act.setSpeed(Number(speed.value)) },
  ...SPEEDS.map((value) => make('option', { value, text: `${value}×`, selected: value === 1 })));
  const layer = make('select', { class: 'layer', 'aria-label': 'Layer',
    onchange: () => act.setOption('layer', layer.value) });
  const buttons = make('div', { class: 'buttons' }, back, play, forward);
  const switches = make('div', { class: 'switches' }, speed, layer,
    makeSwitch('Heat map', 'heat', act, options), makeSwitch('Orders', 'orders', act, options));
  const element = make('div', { class: 'controls' }, buttons, time, switches);
  return { element, play, scrub, time, speed, layer };
}

function makeSwitch(text, name, act, options) {
  const box = make('input', { type: 'checkbox', class: name, checked: options[name],
    onchange: () => act.setOption(name, box.checked) });
  return make('label', { class: 'switch' }, box, text);
}

function label(button, text) {
  button.title = text;
  button.setAttribute('aria-label', text);
}

/** Fills the choice of layers with those that any player observes. */
function fillLayers(select, episodes) {
  const names = new Set(episodes.flatMap((episode) => [
    ...episode.layers.map((layer) => `${layer.group} ${layer.name}`), ...episode.left_out]));
  const before = select.value;
  select.replaceChildren(make('option', { value: '', text: 'No layer' }),
    ...[...names].map((name) => make('option', { value: name, text: name.replace(/_/g, ' ') })));
  select.value = names.has(before) ? before : '';
  select.hidden = !names.size;
}

/** Makes the heading with the choice of episodes. */
function makeHeader(traces, choose) {
  const [{ world }] = traces;
  const title = make('div', { class: 'title' }, make('h2', { text: world.map_name }));
  if (traces.length === 1) title.append(makeName(traces[0].player, null));
  const chips = traces[0].episodes.map((episode, index) => {
    const scores = traces.map((trace) => formatNumber(trace.episodes[index].score));
    return make('button', { type: 'button', class: 'chip', onclick: () => choose(index),
      title: `Episode ${index + 1}, return ${scores.join(' and ')} (key ${index + 1})` },
    make('span', { text: `Episode ${index + 1}` }),
    ...scores.map((score, i) => make('b', { class: `p${i}`, text: score })));
  });
  const list = make('nav', { class: 'episodes', 'aria-label': 'Episodes' }, ...chips);
  return { element: make('header', {}, title, list), chips };
}

/** Makes the name of a player with what is known of it. */
function makeName(player, index) {
  const name = make('b', { text: player.name });
  const about = make('span', { text: player.about.join(' · ') });
  return make('p', { class: index === null ? 'player-name' : `player-name p${index}` }, name, about);
}
