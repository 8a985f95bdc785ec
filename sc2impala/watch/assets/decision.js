/* The choice of one player at a step, and how probable it was. */

const MOST_ROWS = 6;

class DecisionPanel {
  constructor() {
    this.element = make('section', { class: 'decision' });
  }

  show(episode) {
    this.episode = episode;
    const { player } = episode;
    this.functionText = make('b', { class: 'function' });
    this.argumentText = make('span', { class: 'arguments' });
    const call = make('div', { class: 'call' }, this.functionText, this.argumentText);
    this.numbers = {};
    const numbers = make('dl', { class: 'numbers' });
    const names = episode.values ? ['Value', 'TD error', 'Return', 'Entropy'] : [];
    for (const name of [...names, 'Reward', 'Next in']) {
      if (name === 'Entropy' && !episode.entropies) continue;
      this.numbers[name] = make('dd');
      const title = { Return: 'discounted rewards from here on, as they came',
        'TD error': player.value_note, Value: 'the baseline', Entropy: 'of all heads in use' }[name];
      numbers.append(make('div', { title: title || null }, make('dt', { text: name }),
        this.numbers[name]));
    }
    const heads = player.kind === 'script' ? player.heads.slice(0, 1) : player.heads;
    this.heads = heads.map((head) => this.makeHead(head));
    this.element.replaceChildren(call, numbers,
      make('div', { class: 'heads' }, ...this.heads.map((head) => head.element)));
    if (player.kind === 'script') {
      this.element.append(make('p', { class: 'note', text: 'A script has no probabilities.' }));
    } else if (player.kind === 'values') {
      this.element.append(make('p', { class: 'note',
        text: 'Bars are action values, from the lowest to the highest of the step.' }));
    }
    this.step = -1;
  }

  makeHead(head) {
    const { player } = this.episode;
    const note = make('span', { class: 'head-note' });
    const title = make('h4', {}, make('span', { text: head.name === 'step_mul' ? 'step multiplier' : head.name }), note);
    const element = make('section', { class: 'head' }, title);
    const made = { head, element, note, rows: [] };
    if (head.size.length) {
      made.text = make('p', { class: 'point' });
      element.append(make('i', { class: 'ramp hot' }), made.text);
      element.classList.add('point-head');
    } else if (head.choices <= MOST_ROWS || head.name === 'function') {
      for (let i = 0; i < head.choices; i++) {
        const name = head.name === 'function' ? player.functions[i]
          : head.name === 'step_mul' ? formatFrames(i + 1) : String(i);
        const bar = make('i');
        const share = make('span', { class: 'share' });
        const row = make('div', { class: 'row' }, make('span', { class: 'name', text: name }),
          make('span', { class: 'bar' }, bar), share);
        made.rows.push({ row, bar, share });
        element.append(row);
      }
    } else {
      const columns = make('div', { class: 'columns' });
      for (let i = 0; i < head.choices; i++) {
        const bar = make('i');
        columns.append(bar);
        made.rows.push({ row: bar, bar });
      }
      made.text = make('p', { class: 'point' });
      element.append(columns, made.text);
    }
    return made;
  }

  draw(step) {
    if (step === this.step) return;
    this.step = step;
    const { episode } = this;
    const { player } = episode;
    setText(this.functionText, player.functions[episode.functionAt(step)]);
    setText(this.argumentText, this.describeArguments(step));
    const values = {
      Value: () => formatNumber(episode.values[step]),
      'TD error': () => formatSigned(episode.advantages[step]),
      Return: () => formatNumber(episode.returns[step]),
      Entropy: () => formatNumber(episode.entropies[step]),
      Reward: () => formatSigned(episode.rewards[step]),
      'Next in': () => formatFrames(episode.frames[step + 1] - episode.frames[step]),
    };
    for (const [name, element] of Object.entries(this.numbers)) setText(element, values[name]());
    for (const made of this.heads) this.drawHead(made, step);
  }

  describeArguments(step) {
    const { episode } = this;
    const used = episode.player.head_used[episode.functionAt(step)];
    return used.map((name) => {
      const head = episode.headOf(name);
      const value = head.size.length ? `(${episode.point(step, name).join(', ')})`
        : episode.choices.chosen[name][step];
      return `${name} ${value}`;
    }).join(' · ');
  }

  drawHead(made, step) {
    const { episode } = this;
    const { head } = made;
    const used = episode.uses(step, head.name);
    made.element.classList.toggle('unused', !used);
    const entropies = episode.choices.entropy[head.name];
    const isPolicy = episode.player.kind === 'policy';
    if (!used) setText(made.note, 'not used');
    else if (isPolicy && entropies) {
      setText(made.note, `entropy ${formatNumber(entropies[step])} of ${this.largest(head, step)}`);
    } else setText(made.note, '');
    const chosen = episode.choices.chosen[head.name][step] - (head.name === 'step_mul' ? 1 : 0);
    const probability = episode.choices.probability[head.name];
    if (head.size.length) {
      const peak = episode.choices.peak[head.name];
      const unit = isPolicy ? formatShare : formatNumber;
      setText(made.text, used ? `(${episode.point(step, head.name).join(', ')}) has `
        + `${unit(probability[step])}, the brightest cell ${unit(peak[step])}` : ' ');
      return;
    }
    const shares = episode.choices.probabilities[head.name];
    const available = head.name === 'function' ? episode.choices.available : null;
    let most = 1;
    if (made.text && shares) {
      for (let i = 0; i < head.choices; i++) most = Math.max(most, shares[step * head.choices + i]);
    }
    made.rows.forEach(({ row, bar, share }, i) => {
      const masked = available !== null && !available[step * head.choices + i];
      const part = shares ? shares[step * head.choices + i] / 65535 : Number(i === chosen);
      row.classList.toggle('chosen', i === chosen);
      row.classList.toggle('masked', masked);
      if (made.text) bar.style.height = `${Math.max((100 * part * 65535) / most, 2)}%`;
      else bar.style.width = `${100 * part}%`;
      if (!share) return;
      const text = shares ? (isPolicy ? formatShare(part) : formatNumber(part))
        : i === chosen ? 'chosen' : '';
      setText(share, masked ? 'not available' : text);
    });
    if (made.text) {
      const value = chosen + (head.name === 'step_mul' ? 1 : 0);
      setText(made.text, `${value} has ${formatShare(probability[step])}`);
    }
  }

  /** Returns the entropy of a uniform choice. */
  largest(head, step) {
    let count = head.choices;
    if (head.name === 'function') {
      count = 0;
      for (let i = 0; i < head.choices; i++) {
        count += this.episode.choices.available[step * head.choices + i];
      }
    }
    return formatNumber(Math.log(count));
  }
}
